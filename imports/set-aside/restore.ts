/** Gives the counts of a period that is set aside back to the numbers. */
import type { ClientBase, Pool } from 'pg'
import { createStagingTables, stageStored } from '../../db/counts/staged-days'
import { quote } from '../../db/file-errors'
import { OperatorError } from '../../db/operator-error'
import { loadLocalDays } from '../../db/zones/rules-in-force'
import { loadHistories } from '../counts/installations'
import { mergeDays, storeDays } from '../counts/merge-days'
import { findUnplaced } from '../relocation/move-counts'
import { explainRefusal } from '../relocation/placement'
import { RowCounter } from '../row-sink'
import { type ChangedPeriod, readPeriod, runOnPeriod, type SetAsidePeriod } from './set-aside'

/**
 * Restores the counts of a period, in one transaction together with its record.
 *
 * @throws OperatorError UNKNOWN_SET_ASIDE; RESTORE_REFUSED where a count has no place any more; MONTH_CLOSED;
 *   DATA_CHANGED since the preview; SET_ASIDE_FAILED when the database refuses or goes away
 */
export const restore = (
  pool: Pool,
  id: string,
  options: Parameters<typeof runOnPeriod>[2] = {},
): Promise<ChangedPeriod> => runOnPeriod(pool, 'restored', options, client => restorePeriod(client, id))

async function restorePeriod(client: ClientBase, reference: string): Promise<SetAsidePeriod> {
  const period = await readPeriod(client, reference)
  const { id } = period
  const serial = quote(period.sensor)
  const days = await loadLocalDays(client)
  const { rows } = await client.query<{ sensor: number }>('SELECT sensor FROM set_asides WHERE id = $1', [id])
  const histories = await loadHistories(
    client,
    rows.map(({ sensor }) => sensor),
  )
  const change = { histories, before: days, after: days, days: { setAside: id } }
  const unplaced = [...(await findUnplaced(client, change, 'sensor')).values()].flat()
  if (unplaced.length > 0) {
    throw refused(
      explainRefusal(
        unplaced.map(each => ({ ...each, setAside: null })),
        () => serial,
      ),
    )
  }
  await createStagingTables(client)
  await stageStored(client, 'set_aside_days WHERE set_aside = $1', [id])
  await client.query('DELETE FROM set_asides WHERE id = $1', [id])
  const conflicts: string[] = []
  const counter = new RowCounter(({ reason }) => conflicts.push(reason))
  await mergeDays(client, { days, counter, addOnly: true })
  if (conflicts.length > 0) {
    const more = conflicts.length === 1 ? '' : `, and ${conflicts.length - 1} more`
    throw refused(
      `sensor ${serial} has other counts there: ${conflicts[0]}${more}; delete them first (partner-metrics delete impressions)`,
    )
  }
  await storeDays(client)
  return period
}

const refused = (reason: string): OperatorError =>
  new OperatorError('RESTORE_REFUSED', `${reason}; nothing was changed`)
