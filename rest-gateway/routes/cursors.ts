/**
 * Cursors: the id of the last row of a page, signed together with the environment, the list and its filters. None can be
 * forged or used with another list. Every process issues the same, since the secret is stored in the database.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../../schema/errors'

const SIGNATURE_BYTES = 16

export class Cursors {
  constructor(
    private readonly secret: Buffer,
    private readonly environment: string,
  ) {}

  /** The cursor of the page behind the row with this id. */
  issue(list: string, id: string): string {
    return Buffer.concat([this.signature(list, id), Buffer.from(id)]).toString('base64url')
  }

  /**
   * The id in a cursor of this list.
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
