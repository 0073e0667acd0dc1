/** A batch by pg's public interface alone, for versions of pg that the pipelined batch does not fit. Three times as slow. */
import type { ClientBase } from 'pg'
import type { Batch, RawRow, Statement } from './batch'
import { asApiError, isUnavailable } from './errors'

type Send = (client: ClientBase) => Promise<void>

export class PlainBatch implements Batch {
  readonly settled: Promise<void>
  private isAborted = false
  connectionUnusable = false
  private readonly steps: { send: Send; reject(error: unknown): void }[] = []
  private settle: () => void = () => {}

  constructor() {
    this.settled = new Promise(resolve => {
      this.settle = resolve
    })
  }

  add<Row>(statement: Statement, values: unknown[]): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      const send: Send = async client => {
        const { rows } = await client.query({ ...statement, values })
        resolve(rows as Row[])
      }
      this.steps.push({ send, reject })
    })
  }

  async addRaw(statement: Statement, values: unknown[]): Promise<RawRow[]> {
    const rows = await this.add<object>(statement, values)
    return rows.map(row => ({ text: JSON.stringify(row), decode: () => row }))
  }

  sendOn(client: ClientBase): void {
    void this.run(client)
  }

  abort(error: unknown): void {
    this.isAborted = true
    this.connectionUnusable = true
    this.reject(error)
    this.settle()
  }

  private async run(client: ClientBase): Promise<void> {
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      for (const { send } of this.steps) await send(client)
      await client.query('COMMIT')
    } catch (cause) {
      const error = asApiError(cause)
      if (this.isAborted || isUnavailable(error)) return this.abort(error)
      this.reject(error)
      await client.query('ROLLBACK').catch(lost => this.abort(asApiError(lost)))
    }
    this.settle()
  }

  /** Statements that have resolved stay so. */
  private reject(error: unknown): void {
    for (const { reject } of this.steps) reject(error)
  }
}
