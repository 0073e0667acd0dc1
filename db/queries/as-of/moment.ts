/**
 * Instants of the past at which impressions are read as they were. The counts are those of then, and all else is as it is
 * recorded now.
 */
import { dateOf, dayAt, dayNumber } from '../../calendar/local-days'
import type { ZoneRules } from '../../calendar/zone-rules'
import { COMPANY_SCOPE, inScope, type ScopedReader } from '../../postgres/scoped-reader'
import { readZoneRules } from '../../zones/scoped-rules'
import { readRow, readRows } from '../statements'

/** An instant in microseconds since 1970. */
export type Instant = number

/** A day is over this many seconds after its end: from then on the ledger has its changes. */
const SECONDS_UNTIL_OVER = 6 * 3600

/** Returns the first local day that was not over at an instant. */
export const firstOpenDay = (rules: ZoneRules, instant: Instant): string =>
  dayAt(rules, Math.floor(instant / 1_000_000) - SECONDS_UNTIL_OVER).date

const BEGINNING = `SELECT number FROM transactions WHERE reason = 'begin' AND ${COMPANY_SCOPE} IS NOT NULL`

/** Returns the first instant of the ledger. */
export async function readBeginning(reader: ScopedReader): Promise<Instant> {
  const row = await readRow<{ number: number }>(reader, 'ledger-beginning', () => BEGINNING)
  return row!.number
}

/** Zone rules of assets in scope. */
const RULES = `SELECT DISTINCT rules FROM assets WHERE ${inScope('company')} ORDER BY rules`

/** An instant with the days that were over at assets in scope. */
export interface NetworkMoment {
  instant: Instant
  /** The last day that was over at any asset, and the first one that was not over at some. */
  lastDay: string
  firstOpen: string
  /** The first day that was not over by each of their zone rules. */
  open: readonly (readonly [rules: number, day: string])[]
}

/** Reads the moment in a batch of its own: how far others read depends on it. */
export async function readNetworkMoment(reader: ScopedReader, instant: Instant): Promise<NetworkMoment> {
  const rows = await readRows<{ rules: number }>(reader, 'zone-rules-in-scope', () => RULES)
  const numbers = rows.map(({ rules }) => rules)
  const rules = await readZoneRules(reader, numbers)
  const open = numbers.map(number => [number, firstOpenDay(rules.get(number)!, instant)] as const)
  const days = open.map(([, day]) => day).sort()
  const [firstOpen = '0001-01-02', last = firstOpen] = [days[0], days.at(-1)]
  return { instant, lastDay: dateOf(dayNumber(last) - 1), firstOpen, open }
}
