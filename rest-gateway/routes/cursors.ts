/**
 * Cursors: the id of the last row that was seen, signed together with the environment, the list and its filters, so that
 * none can be made up, nor taken from one list to another. The same in every process, for the secret is the database's.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../../schema/errors'

const SIGNATURE_BYTES = 16

export class Cursors {
  constructor(
    private readonly secret: Buffer,
    private readonly environment: string,
  ) {}

  /** A cursor behind the row with this id. */
  issue(list: string, id: string): string {
    return Buffer.concat([this.signature(list, id), Buffer.from(id)]).toString('base64url')
  }

  /**
   * The id that a cursor of this list stands behind.
   *
   * @throws ApiError INVALID_CURSOR
   */
  open(list: string, cursor: string): string {
    const bytes = Buffer.from(cursor, 'base64url')
    const id = bytes.toString('utf8', SIGNATURE_BYTES)
    if (bytes.length <= SIGNATURE_BYTES) throw new ApiError('INVALID_CURSOR')
    const genuine = timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), this.signature(list, id))
    // Decoding is lenient: of all texts that decode alike only one was issued.
    if (!genuine || this.issue(list, id) !== cursor) throw new ApiError('INVALID_CURSOR')
    return id
  }

  private signature(list: string, id: string): Buffer {
    const hmac = createHmac('sha256', this.secret).update(JSON.stringify([this.environment, list, id]))
    return hmac.digest().subarray(0, SIGNATURE_BYTES)
  }
}
