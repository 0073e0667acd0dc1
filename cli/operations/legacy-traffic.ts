/** `partner-metrics legacy-traffic`: reports calls of the legacy interface, and whether it can be switched off. */
import type { Command } from 'commander'
import { dateOf, dayNumber } from '../../db/calendar/local-days'
import { type LegacySilence, type LegacyTraffic, readLegacySilence, readLegacyTraffic } from '../../db/queries/legacy'
import { type Invocation, UsageError } from '../invocation'
import { dateValue } from '../option-values'
import { tableOf } from '../text/fitted-table'
import { withOwner } from './owner'

/** Recorded days without calls after which the interface can be switched off. */
const SILENT_DAYS = 30

export function register(program: Command, invocation: Invocation): void {
  program
    .command('legacy-traffic')
    .description('report the calls of the legacy interface, and whether it can be switched off')
    .option('--since <date>', `first day of the report (UTC; default: ${SILENT_DAYS} days ago)`, dateValue)
    .action(async ({ since }: { since?: string }) => {
      const today = new Date().toISOString().slice(0, 10)
      if (since !== undefined && since > today) {
        throw new UsageError('USAGE', `--since must not be after today, ${today}`)
      }
      const from = since ?? dateOf(dayNumber(today) - SILENT_DAYS)
      const { rows, silence } = await withOwner(invocation, async ({ pool }) => ({
        rows: await readLegacyTraffic(pool, from),
        silence: await readLegacySilence(pool),
      }))
      const verdict = judgeSilence(silence)
      const safe = verdict.safe_to_retire ? 'safe to switch off' : 'not safe to switch off'
      invocation.printResult({ since: from, rows, verdict }, width => [
        ...(rows.length > 0 ? [tableOf(rows, COLUMNS, ['label', 'route'], width), ''] : []),
        `${safe}: ${verdict.reason}`,
      ])
    })
}

/** Independent of --since: days before it matter as well. */
function judgeSilence({ counted_from, last_called_at, days }: LegacySilence) {
  const silence = last_called_at ? `the last call was at ${last_called_at}` : 'no call was recorded'
  const recorded = `calls are recorded since ${counted_from}`
  if (days >= SILENT_DAYS) return { safe_to_retire: true, reason: `${silence}, and ${recorded}` }
  const needed = `${SILENT_DAYS} whole days in a row without a call are needed, and ${days} were recorded`
  return { safe_to_retire: false, reason: `${needed} (${silence}; ${recorded})` }
}

const COLUMNS = {
  key: ({ key_id }: LegacyTraffic) => key_id ?? '(no known key)',
  label: 'label',
  route: ({ route }: LegacyTraffic) => route.replace(/^\/v1\/metrics\//, ''),
  calls: 'calls',
  'last call': ({ last_called_at }: LegacyTraffic) => last_called_at.slice(0, 10),
} as const
