/**
 * A pipelined batch in a transaction of its own, for a login whose transactions do not see one snapshot by default: the owner's, which
 * also writes.
 */
import type { ClientBase } from 'pg'
import type { BatchedStatement, Statement } from './batch'
import { PipelinedBatch } from './pipelined-batch'

const BEGIN = { name: 'begin', text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' }

const COMMIT = { name: 'commit', text: 'COMMIT' }

export class EnclosedBatch extends PipelinedBatch {
  override sendOn(client: ClientBase): void {
    this.statements.unshift(withoutRows(BEGIN))
    this.statements.push(withoutRows(COMMIT))
    super.sendOn(client)
  }
}

const withoutRows = (statement: Statement): BatchedStatement => ({
  statement,
  values: [],
  raw: false,
  rows: [],
  resolve() {},
  reject() {},
})
