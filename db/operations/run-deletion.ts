/** Previews a deletion, and runs it in one transaction together with its record. */
import type { ClientBase } from 'pg'
import { FileError } from '../file-errors'
import type { OnWait } from '../locks'
import { OperatorError } from '../operator-error'
import type { Pool } from '../postgres/pool'
import { inTransaction } from '../transaction'
import { type DeletionPlan, type DeletionRequest, isEmpty, planDeletion } from './deletion'
import { lockKeys } from './keys-of-companies'
import { type Operation, recordOperation } from './record'

/**
 * Returns the plan of a deletion. Changes nothing, and waits for no import.
 *
 * @throws OperatorError when something that is to be deleted is unknown
 */
export async function previewDeletion(pool: Pool, request: DeletionRequest): Promise<DeletionPlan> {
  const client = await pool.connect()
  let reusable = false
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const { plan } = await planDeletion(client, request)
    await client.query('ROLLBACK')
    reusable = true
    return plan
  } finally {
    client.release(!reusable)
  }
}

/**
 * Deletes, when no import is running. Records the operation with its figures if there was anything to delete.
 *
 * @param preview the plan that was confirmed, if it was; another one is not executed
 * @throws OperatorError when something that is to be deleted is unknown; DATA_CHANGED when the plan is not the preview;
 *   DELETION_FAILED when the database refuses or goes away
 */
export async function runDeletion(
  pool: Pool,
  request: DeletionRequest,
  operation: Operation,
  preview?: DeletionPlan,
  onWait?: OnWait,
): Promise<DeletionPlan> {
  const run = async (client: ClientBase) => {
    if (request.kind === 'companies') await lockKeys(client)
    const { plan, execute } = await planDeletion(client, request)
    if (preview && JSON.stringify(plan) !== JSON.stringify(preview)) {
      throw new OperatorError(
        'DATA_CHANGED',
        'the data changed since the preview: nothing was deleted, run the command again',
      )
    }
    if (isEmpty(plan)) return { commit: false, result: plan }
    await execute()
    await recordOperation(client, { ...operation, figures: plan.deleted })
    return { commit: true, result: plan }
  }
  return inTransaction(pool, run, onWait).catch(error => {
    throw error instanceof FileError ? new OperatorError('DELETION_FAILED', error.message) : error
  })
}
