/**
 * Instants of the past at which impressions are read as they were. The counts are those of then, and all else is as it is
 * recorded now.
 */
import { dateOf, dayAt, dayNumber } from '../../calendar/local-days'
import type { ZoneRules } from '../../calendar/zone-rules'
import { COMPANY_SCOPE, inScope, type ScopedReader } from '../../postgres/scoped-reader'
import { readZoneRules } from '../../zones/scoped-rules'
import { readRow } from '../statements'

/** An instant of the past. */
export interface Instant {
  /** In milliseconds since 1970: it decides which days were over. */
  time: number
  /** The instant by which commits were made: RFC 3339, or `infinity` at the present, also where the last commit lies in the future. */
  committed: string
}

/** A day is over this many seconds after its end: from then on the ledger has its changes. */
const SECONDS_UNTIL_OVER = 6 * 3600

/** Returns the first local day that was not over at an instant. */
export const firstOpenDay = (rules: ZoneRules, { time }: Pick<Instant, 'time'>): string =>
  dayAt(rules, Math.floor(time / 1000) - SECONDS_UNTIL_OVER).date

const BEGINNING = `SELECT committed_at AS at FROM transactions WHERE reason = 'begin' AND ${COMPANY_SCOPE} IS NOT NULL`

/** Returns the first instant of the ledger, in milliseconds since 1970. */
export async function readBeginning(reader: ScopedReader): Promise<number> {
  const row = await readRow<{ at: string }>(reader, 'ledger-beginning', () => BEGINNING)
  return Date.parse(row!.at)
}

/** The last transaction by an instant, and the zone rules of assets in scope. */
const MOMENT = `
SELECT number_at(:committed) AS number, ARRAY(SELECT DISTINCT rules FROM assets WHERE ${inScope('company')} ORDER BY rules) AS rules`

/** An instant with the days that were over at assets in scope. */
export interface NetworkMoment {
  /** The number of the last transaction by then. */
  number: number
  /** The last day that was over at any asset, and the first one that was not over at some. */
  lastDay: string
  firstOpen: string
  /** The first day that was not over by each of their zone rules. */
  open: readonly (readonly [rules: number, day: string])[]
}

/** Reads the moment in a batch of its own: how far others read depends on it. */
export async function readNetworkMoment(reader: ScopedReader, instant: Instant): Promise<NetworkMoment> {
  const parameters = { committed: instant.committed }
  const row = await readRow<{ number: number; rules: number[] }>(reader, 'moment', () => MOMENT, parameters)
  const { number, rules: numbers } = row!
  const rules = await readZoneRules(reader, numbers)
  const open = numbers.map(each => [each, firstOpenDay(rules.get(each)!, instant)] as const)
  const days = open.map(([, day]) => day).sort()
  const [firstOpen = '0001-01-02', last = firstOpen] = [days[0], days.at(-1)]
  return { number, lastDay: dateOf(dayNumber(last) - 1), firstOpen, open }
}
