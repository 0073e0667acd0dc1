/** A batch by pg's public interface alone, for versions of pg that the pipelined batch does not fit. Three times as slow. */
import type { ClientBase } from 'pg'
import { Batch } from './batch'
import { asApiError, isConnectionLost } from './errors'

export class PlainBatch extends Batch {
  sendOn(client: ClientBase): void {
    void this.run(client)
  }

  again(): PlainBatch {
    return new PlainBatch(this.repeated())
  }

  private async run(client: ClientBase): Promise<void> {
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      for (const batched of this.statements) {
        const { rows } = await client.query({ ...batched.statement, values: batched.values })
        batched.rows = batched.raw ? rows.map(row => ({ text: JSON.stringify(row), decode: () => row })) : rows
        this.completed++
      }
      await client.query('COMMIT')
    } catch (cause) {
      const error = asApiError(cause)
      if (this.isSettled || isConnectionLost(error)) return this.abort(error)
      const rolledBack = await client.query('ROLLBACK').then(
        () => true,
        () => false,
      )
      return this.fail(error, !rolledBack)
    }
    if (!this.isSettled) this.finish()
  }
}
