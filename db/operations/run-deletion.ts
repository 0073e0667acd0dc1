/** Previews a deletion, and runs it in one transaction together with its record. */
import type { ClientBase } from 'pg'
import { refuseAs } from '../file-errors'
import type { OnWait } from '../locks'
import { OperatorError } from '../operator-error'
import type { Pool } from '../postgres/pool'
import { inSnapshot, inTransaction } from '../transaction'
import { type DeletionPlan, type DeletionRequest, isEmpty, planDeletion } from './deletion'
import { type Operation, recordOperation } from './record'
import { checkClosedMonths, type RestatementOptions, stateReason } from './restatement'

/** A request with its record and what the ledger says of it. */
export interface Deletion {
  request: DeletionRequest
  operation: Operation
  restatement?: RestatementOptions
}

/** Whether closed months bind a deletion. A company leaves with all it has, and retention is a promise to forget. */
const isBound = ({ kind }: DeletionRequest): boolean => !['companies', 'everything'].includes(kind)

/**
 * Returns the plan of a deletion. Changes nothing, and waits for no import unless it may change a closed month.
 *
 * @throws OperatorError when something that is to be deleted is unknown; MONTH_CLOSED when the deletion would be refused
 */
export async function previewDeletion(pool: Pool, deletion: Deletion): Promise<DeletionPlan> {
  const { request } = deletion
  const { plan } = await inSnapshot(pool, client => planDeletion(client, request))
  if (isBound(request) && plan.in_closed_months) {
    await inTransaction(pool, async db => {
      await stateReason(db, 'deletion', deletion.restatement)
      await (await planDeletion(db, request)).execute()
      await checkClosedMonths(db)
      return { commit: false, result: undefined }
    })
  }
  return plan
}

/**
 * Deletes, when no import is running. Records the operation with its figures if there was anything to delete.
 *
 * @param preview the plan that was confirmed, if it was; another one is not executed
 * @throws OperatorError when something that is to be deleted is unknown; DATA_CHANGED when the plan is not the preview;
 *   MONTH_CLOSED when a closed month would change; DELETION_FAILED when the database refuses or goes away
 */
export async function runDeletion(
  pool: Pool,
  { request, operation, restatement }: Deletion,
  preview?: DeletionPlan,
  onWait?: OnWait,
): Promise<DeletionPlan> {
  const run = async (client: ClientBase) => {
    // Waits until keys that are being issued are visible, and lets nobody issue one before the end of the transaction.
    if (request.kind === 'companies') await client.query('LOCK TABLE api_keys IN SHARE ROW EXCLUSIVE MODE')
    const { plan, execute } = await planDeletion(client, request)
    if (preview && JSON.stringify(plan) !== JSON.stringify(preview)) {
      throw new OperatorError(
        'DATA_CHANGED',
        'the data changed since the preview: nothing was deleted, run the command again',
      )
    }
    const isRetention = request.kind === 'everything'
    if (isEmpty(plan) && !isRetention) return { commit: false, result: plan }
    await stateReason(
      client,
      isRetention ? 'unrecorded' : 'deletion',
      isBound(request) ? restatement : { ...restatement, restate: true },
    )
    await execute()
    // The ledger forgets the days also if their data is gone already.
    if (!isEmpty(plan)) await recordOperation(client, { ...operation, figures: plan.deleted })
    return { commit: true, result: plan }
  }
  return inTransaction(pool, run, onWait).catch(refuseAs('DELETION_FAILED'))
}
