/** Pools of connections to PostgreSQL, and how its values arrive: in the types in which the service works with them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool, type PoolConfig, types } from 'pg'

const GOODBYE_MS = 1_000

/** Instants come in UTC (the session's time zone is set so) and are told as RFC 3339. */
const instant = (text: string): string => `${text.slice(0, 10)}T${text.slice(11, text.indexOf('+', 19))}Z`

const wholeNumber = (text: string): number => {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is not a whole number that is safe to count with`)
  return number
}

/** text[], of which most are empty. */
const TEXT_LIST = 1009

const textList = types.getTypeParser(TEXT_LIST as never) as (text: string) => string[]

/** bigint and its sums as numbers, dates as their text, instants as RFC 3339, lists of bigint as lists of numbers. */
const parsers = new Map<number, (text: string) => unknown>([
  [20, wholeNumber],
  [1700, wholeNumber],
  [1082, text => text],
  [1184, instant],
  [TEXT_LIST, text => (text === '{}' ? [] : textList(text))],
  [
    1016,
    text =>
      text.endsWith('{}')
        ? []
        : text
            .slice(text.indexOf('{') + 1, -1)
            .split(',')
            .map(each => (each === 'NULL' ? null : wholeNumber(each))),
  ],
])

const typeParsers = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    parsers.get(oid) ?? types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
}

/** Types whose text is the value. */
const TEXTS = [18, 19, 25, 1042, 1043, 1082]

/** What makes a value of a type's text; undefined where the text is the value. */
export const parserOf = (oid: number): ((text: string) => unknown) | undefined =>
  TEXTS.includes(oid) ? undefined : typeParsers.getTypeParser(oid)

/** Those of pg, and whether its transactions may write. */
export type PoolSettings = PoolConfig & { readOnly?: boolean }

/**
 * A pool whose connections report their faults through the statements they carry, and never by ending the process.
 *
 * @param url a postgres:// URL
 */
export function openPool(url: string, { readOnly = false, ...config }: PoolSettings = {}): Pool {
  const pool = new Pool({
    connectionString: url,
    application_name: 'partner-metrics',
    types: typeParsers,
    options: `-c TimeZone=UTC -c DateStyle=ISO -c bytea_output=hex${readOnly ? ' -c default_transaction_read_only=on' : ''}`,
    ...config,
  })
  pool.on('error', () => {})
  pool.on('connect', client => client.on('error', () => {}))
  return pool
}

/** Works with a pool that is opened for it, and ended whatever comes of it. */
export async function withPool<Result>(
  url: string,
  config: PoolConfig,
  work: (pool: Pool) => Promise<Result>,
): Promise<Result> {
  const pool = openPool(url, config)
  try {
    return await work(pool)
  } finally {
    await endPool(pool)
  }
}

/** Says goodbye on all connections of a pool, without waiting for a server that does not take notice. */
export async function endPool(pool: Pool): Promise<void> {
  await Promise.race([pool.end(), sleep(GOODBYE_MS, undefined, { ref: false })])
}
