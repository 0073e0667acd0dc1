/** The way of one reader's batches to PostgreSQL. */
import type { Batch, Statement } from './batch'

export interface Transport {
  /** The first statement of each batch, with its values. It returns a row with the key, if that is valid. */
  readonly authentication: Statement
  readonly credentials: unknown[]
  /** Runs a batch. Never rejects: errors reach the promises of the batch. @returns the number of rows that were received */
  send(batch: Batch): Promise<number>
  /** Sends further batches to the primary alone. */
  requirePrimary(): void
  /**
   * Resolves when whoever reads next, on any host, sees what was read on the primary.
   *
   * @throws ApiError UNAVAILABLE when the primary does not answer
   */
  replicated(): Promise<void>
}
