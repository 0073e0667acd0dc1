/** Pools of connections to PostgreSQL, and the JavaScript types of its values. */
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool, type PoolConfig, types } from 'pg'
import { findPostmaster } from '../embedded/postmaster'

export type { Pool }

const CLOSE_TIMEOUT_MS = 1_000

/** RFC 3339. PostgreSQL sends instants in UTC, the session's time zone. */
const instant = (text: string): string => {
  if (!text.endsWith('+00')) throw new RangeError(`${text} is not in UTC: the login lacks its settings`)
  return `${text.slice(0, 10)}T${text.slice(11, -3)}Z`
}

const wholeNumber = (text: string): number => {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is not a whole number that is safe to count with`)
  return number
}

const wholeNumbers = (text: string): unknown[] =>
  types
    .getTypeParser(1016 as never)(text)
    .map((each: string | null) => (each === null ? null : wholeNumber(each)))

/** The OID of text[]. */
const TEXT_LIST = 1009

/** Returns a text[]. With quoted or null elements pg's own parser reads it, which takes ten times as long. */
function textList(text: string): unknown {
  if (/["\\]|null/i.test(text)) return types.getTypeParser(TEXT_LIST as never)(text)
  return text === '{}' ? [] : text.slice(1, -1).split(',')
}

/** By type OID: bigint and its sums become numbers, dates stay text, instants become RFC 3339, bigint[] arrays of numbers. */
const parsers = new Map<number, (text: string) => unknown>([
  [20, wholeNumber],
  [1700, wholeNumber],
  [1082, text => text],
  [1184, instant],
  [TEXT_LIST, textList],
  [1016, wholeNumbers],
])

const typeParsers = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    parsers.get(oid) ?? types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
}

/** OIDs of types whose value is its text. */
const TEXTS = [18, 19, 25, 1042, 1043, 1082]

/** Parses the text of a type; undefined where the text is the value. */
export const findParser = (oid: number): ((text: string) => unknown) | undefined =>
  TEXTS.includes(oid) ? undefined : typeParsers.getTypeParser(oid)

/**
 * Opens a pool. Errors of its connections reach the statements that run on them, and never end the process. The sessions have the
 * settings of their login (`session-settings.ts`); time-outs that pg would send when it connects are refused by poolers.
 *
 * @param url a postgres:// URL; connections to the embedded PostgreSQL find it on whatever port it is
 */
export function openPool(url: string, config: PoolConfig = {}): Pool {
  const home = embeddedHome(url)
  const pool = new Pool({
    connectionString: url,
    ...(home !== undefined && { stream: () => new EmbeddedSocket(home) }),
    application_name: 'partner-metrics',
    types: typeParsers,
    ...config,
  })
  pool.on('error', () => {})
  pool.on('connect', client => client.on('error', () => {}))
  return pool
}

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

/** Closes the connections of a pool, without waiting for a server that does not respond. */
export async function endPool(pool: Pool): Promise<void> {
  await Promise.race([pool.end(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })])
}

/** The parameter of a URL with the directory of the embedded PostgreSQL. */
const PARAMETER = 'embedded_in'

/** Marks the URL as one of the embedded PostgreSQL in a directory. It has the port of the moment, for other clients. */
export const embeddedUrl = (url: string, home: string): string => `${url}&${PARAMETER}=${encodeURIComponent(home)}`

/** Returns the directory of the embedded PostgreSQL; undefined for the URL of another one. */
function embeddedHome(url: string): string | undefined {
  const [, home] = new RegExp(`[?&]${PARAMETER}=([^&]*)`).exec(url) ?? []
  return home === undefined ? undefined : decodeURIComponent(home)
}

/** A socket that connects to the postmaster of a cluster, whatever port is requested: after a restart it may be another one. */
class EmbeddedSocket extends Socket {
  constructor(private readonly home: string) {
    super()
  }

  // pg connects with a port and a host.
  override connect(_: unknown, host?: unknown): this {
    const postmaster = findPostmaster(this.home)
    // Its former port may belong to another program, which must not receive a password.
    if (postmaster) return super.connect(postmaster.port, host as string)
    return this.destroy(Object.assign(new Error('PostgreSQL is not running'), { code: 'ECONNREFUSED' }))
  }
}
