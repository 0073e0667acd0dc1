/**
 * Cursors: the position behind the last row of a page, encrypted and bound to the environment, the list and its filters. None can be
 * forged or used with another list. Every process issues the same, since the secret is stored in the database.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import type { CursorIssuer } from '../../resolvers/context'
import { ApiError } from '../../schema/errors'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

export class Cursors implements CursorIssuer {
  private readonly key: Buffer

  constructor(secret: Buffer, environment: string) {
    this.key = Buffer.from(hkdfSync('sha256', secret, environment, 'cursors', 32))
  }

  /** Returns the cursor of the page behind a position. It is always the same, as is the entity tag of a page that has it. */
  issue(list: string, position: string): string {
    const hmac = createHmac('sha256', this.key).update(JSON.stringify([list, position]))
    const iv = hmac.digest().subarray(0, IV_BYTES)
    const cipher = createCipheriv(CIPHER, this.key, iv).setAAD(Buffer.from(list))
    const encrypted = [cipher.update(position), cipher.final()]
    return Buffer.concat([iv, ...encrypted, cipher.getAuthTag()]).toString('base64url')
  }

  /** Returns the position in a cursor of this list. @throws ApiError INVALID_CURSOR */
  open(list: string, cursor: string): string {
    const bytes = Buffer.from(cursor, 'base64url')
    // Base64 decoding is lenient: of all texts that decode to the same bytes, only the issued one is valid.
    if (bytes.length <= IV_BYTES + TAG_BYTES || bytes.toString('base64url') !== cursor) {
      throw new ApiError('INVALID_CURSOR')
    }
    const decipher = createDecipheriv(CIPHER, this.key, bytes.subarray(0, IV_BYTES)).setAAD(Buffer.from(list))
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    const position = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES))
    try {
      decipher.final()
    } catch {
      throw new ApiError('INVALID_CURSOR')
    }
    return position.toString()
  }
}
