/**
 * Cursors: the id of the last row of a page, signed together with the environment, the list and its filters. None can be
 * forged or used with another list. Every process issues the same, since the secret is stored in the database. Positions
 * in the feed of changes are encrypted too, because they contain numbers that are internal to the database.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Sealer } from '../../resolvers/context'
import { ApiError } from '../../schema/errors'

const SIGNATURE_BYTES = 16

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** Texts are padded to a multiple of this length, so that it reveals nothing about the numbers in them. */
const PADDED_LENGTH = 256

export class Cursors implements Sealer {
  private readonly sealingKey: Buffer

  constructor(
    private readonly secret: Buffer,
    private readonly environment: string,
  ) {
    this.sealingKey = Buffer.from(hkdfSync('sha256', secret, environment, 'positions', 32))
  }

  /** Encrypts a text. */
  seal(text: string): string {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv(CIPHER, this.sealingKey, iv)
    const padded = text.padEnd(Math.ceil(text.length / PADDED_LENGTH) * PADDED_LENGTH)
    return Buffer.concat([iv, cipher.update(padded), cipher.final(), cipher.getAuthTag()]).toString('base64url')
  }

  /** Returns the text that was encrypted; undefined for anything else. */
  unseal(sealed: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url')
    if (bytes.length <= IV_BYTES + TAG_BYTES || bytes.toString('base64url') !== sealed) return undefined
    try {
      const decipher = createDecipheriv(CIPHER, this.sealingKey, bytes.subarray(0, IV_BYTES))
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
        .toString()
        .trimEnd()
    } catch {
      return undefined
    }
  }

  /** Returns the cursor of the page behind the row with this id. */
  issue(list: string, id: string): string {
    return Buffer.concat([this.signature(list, id), Buffer.from(id)]).toString('base64url')
  }

  /**
   * Returns the id in a cursor of this list.
   *
   * @throws ApiError INVALID_CURSOR
   */
  open(list: string, cursor: string): string {
    const bytes = Buffer.from(cursor, 'base64url')
    const id = bytes.toString('utf8', SIGNATURE_BYTES)
    if (bytes.length <= SIGNATURE_BYTES) throw new ApiError('INVALID_CURSOR')
    const genuine = timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), this.signature(list, id))
    // Base64 decoding is lenient: of all texts that decode to the same bytes, only the issued one is valid.
    if (!genuine || this.issue(list, id) !== cursor) throw new ApiError('INVALID_CURSOR')
    return id
  }

  private signature(list: string, id: string): Buffer {
    const hmac = createHmac('sha256', this.secret).update(JSON.stringify([this.environment, list, id]))
    return hmac.digest().subarray(0, SIGNATURE_BYTES)
  }
}
