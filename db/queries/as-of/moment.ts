/**
 * Instants of the past at which impressions are read as they were. The ledger has what changed since: what it does not have is as it
 * is now.
 */
import { dateOf, dayAt, dayNumber } from '../../calendar/local-days'
import type { ZoneRules } from '../../calendar/zone-rules'
import { COMPANY_SCOPE, inScope, type ScopedReader, type Statement } from '../../postgres/scoped-reader'
import { readZoneRules } from '../../zones/scoped-rules'

/** An instant in microseconds since 1970. */
export type Instant = number

/** A day is over this many seconds after its end: from then on the ledger has its changes. */
const SECONDS_UNTIL_OVER = 6 * 3600

/** Returns the first local day that was not over at an instant. */
export const firstOpenDay = (rules: ZoneRules, instant: Instant): string =>
  dayAt(rules, Math.floor(instant / 1_000_000) - SECONDS_UNTIL_OVER).date

const BEGINNING: Statement = {
  name: 'ledger-beginning',
  text: `SELECT ledger_begins() AS number WHERE ${COMPANY_SCOPE} IS NOT NULL`,
}

/** Returns the first instant of the ledger. */
export async function readBeginning(reader: ScopedReader): Promise<Instant> {
  const [row] = await reader.read<{ number: number }>(BEGINNING)
  return row?.number ?? Number.POSITIVE_INFINITY
}

/** Zone rules of assets in scope, now or at an instant or in between. */
const RULES: Statement = {
  name: 'zone-rules-since',
  text: `
SELECT DISTINCT rules FROM assets WHERE ${inScope('company')}
UNION
SELECT rules FROM installation_revisions WHERE ${inScope('company')} AND revision > $1 ORDER BY rules`,
}

/** An instant with the days that were over at all assets in scope, or at some. */
export interface NetworkMoment {
  instant: Instant
  /** The last day that was over at any asset. */
  lastDay: string
  /** The zone rules by which fewer days were over, with the first day that was not. */
  behind: readonly (readonly [rules: number, firstOpen: string])[]
}

/** Reads the moment in a batch of its own: how far others read depends on it. */
export async function readNetworkMoment(reader: ScopedReader, instant: Instant): Promise<NetworkMoment> {
  const rows = await reader.read<{ rules: number }>(RULES, [instant])
  const numbers = rows.map(({ rules }) => rules)
  const rules = await readZoneRules(reader, numbers)
  const open = numbers.map(number => [number, firstOpenDay(rules.get(number)!, instant)] as const)
  const last = open.reduce((latest, [, day]) => (day > latest ? day : latest), '0001-01-02')
  return { instant, lastDay: dateOf(dayNumber(last) - 1), behind: open.filter(([, day]) => day < last) }
}
