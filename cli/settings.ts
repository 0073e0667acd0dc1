/** The settings: environment variables, all checked at the start, so that every fault is told at once. */
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import type { Environment } from '../db/api-keys/api-keys'
import { ANY_ORIGIN } from '../rest-gateway/middleware/cors'
import { UsageError } from './output'
import { readPostgresUrl } from './postgres-url'

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

export interface Settings {
  host: string
  /** 0 picks one. */
  port: number
  adminPort: number
  environment: Environment
  /** Undefined: the embedded PostgreSQL in dataDir. */
  databaseUrl: string | undefined
  readerDatabaseUrl: string | undefined
  writerDatabaseUrl: string | undefined
  /** An absolute path. */
  dataDir: string
  /** When the partner interface became generally available. */
  partnerGaDate: Date | undefined
  logLevel: (typeof LOG_LEVELS)[number]
  /** Origins whose pages may ask from a browser. */
  corsOrigins: readonly string[]
  /** Processes that serve. */
  workers: number
  /** Requests of one key in a window of so many seconds. */
  rateLimit: number
  rateWindowSeconds: number
  /** Connections open at once, to each process. */
  maxConnections: number
  /** Requests under way at once, of all keys, in each process. */
  maxInFlight: number
  /** By how much the event loop may lag before requests are shed. */
  maxEventLoopDelayMs: number
  /** Connections to the database for reading, of each process. */
  poolSize: number
  statementTimeoutMs: number
  connectTimeoutMs: number
  /** How long accepted requests may take to finish when the service stops. */
  shutdownTimeoutMs: number
}

/**
 * Reads the settings. A variable that is empty counts as missing.
 *
 * @throws UsageFault with one line a fault
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const faults: string[] = []
  const read = <Value, Otherwise>(name: string, otherwise: Otherwise, parse: Parser<Value>): Value | Otherwise => {
    const text = env[name]
    if (text === undefined || text === '') return otherwise
    const value = parse.from(text)
    if (value !== undefined) return value
    const expected = typeof parse.expected === 'string' ? parse.expected : parse.expected(text)
    faults.push(`${name}${parse.secret ? '' : ` is ${JSON.stringify(text)}, but`} must be ${expected}`)
    return otherwise
  }
  const settings: Settings = {
    host: read('HOST', '127.0.0.1', host),
    port: read('PORT', 4000, whole(0, 65_535)),
    adminPort: read('ADMIN_PORT', 9464, whole(0, 65_535)),
    environment: read('METRICS_ENV', 'dev', oneOf(['dev', 'production'])),
    databaseUrl: read('DATABASE_URL', undefined, postgresUrl),
    readerDatabaseUrl: read('READER_DATABASE_URL', undefined, postgresUrl),
    writerDatabaseUrl: read('WRITER_DATABASE_URL', undefined, postgresUrl),
    dataDir: read('DATA_DIR', resolve('.data'), path),
    partnerGaDate: read('PARTNER_GA_DATE', undefined, instant),
    logLevel: read('LOG_LEVEL', 'info', oneOf(LOG_LEVELS)),
    corsOrigins: read('CORS_ORIGINS', [], origins),
    workers: read('WORKERS', 1, workers),
    rateLimit: read('RATE_LIMIT', 600, whole(1, 1_000_000_000)),
    rateWindowSeconds: read('RATE_WINDOW_SECONDS', 60, whole(1, 86_400)),
    maxConnections: read('MAX_CONNECTIONS', 1_000, whole(1, 100_000)),
    maxInFlight: read('MAX_IN_FLIGHT', 256, whole(1, 100_000)),
    maxEventLoopDelayMs: read('MAX_EVENT_LOOP_DELAY_MS', 1_000, whole(1, 600_000)),
    poolSize: read('POOL_SIZE', 10, whole(1, 1_000)),
    statementTimeoutMs: read('STATEMENT_TIMEOUT_MS', 5_000, whole(1, 600_000)),
    connectTimeoutMs: read('CONNECT_TIMEOUT_MS', 3_000, whole(1, 600_000)),
    shutdownTimeoutMs: read('SHUTDOWN_TIMEOUT_MS', 10_000, whole(0, 600_000)),
  }
  if (settings.port !== 0 && settings.port === settings.adminPort) {
    faults.push(`ADMIN_PORT is ${settings.adminPort}, but must be another one than PORT`)
  }
  for (const name of ['READER_DATABASE_URL', 'WRITER_DATABASE_URL']) {
    if (env[name] && !env.DATABASE_URL) faults.push(`${name} must be given together with DATABASE_URL only`)
  }
  if (faults.length > 0) throw new UsageError('INVALID_SETTINGS', faults.join('\n'))
  return settings
}

interface Parser<Value> {
  /** What it should have been, in words that may depend on what it was. */
  expected: string | ((text: string) => string)
  /** Undefined when the text is not what is expected. */
  from(text: string): Value | undefined
  /** Whether what was given must not be repeated. */
  secret?: boolean
}

const whole = (least: number, most: number): Parser<number> => ({
  expected: `a whole number from ${least} to ${most}`,
  from: text => (/^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : undefined),
})

const workers: Parser<number> = {
  expected: 'a whole number from 1 to 128, or auto',
  from: text => (text === 'auto' ? availableParallelism() : whole(1, 128).from(text)),
}

const oneOf = <Choice extends string>(choices: readonly Choice[]): Parser<Choice> => ({
  expected: `one of ${choices.join(', ')}`,
  from: text => choices.find(choice => choice === text),
})

const host: Parser<string> = {
  expected: 'an address or name to listen on',
  from: text => (/^[\w.:%-]{1,255}$/.test(text) ? text : undefined),
}

const path: Parser<string> = { expected: 'a directory', from: text => resolve(text) }

const origins: Parser<string[]> = {
  expected: 'origins (https://HOST) separated by commas, or *',
  from: text => {
    const all = text.split(',').map(origin => origin.trim())
    return all.every(isOrigin) ? all : undefined
  },
}

const isOrigin = (text: string): boolean =>
  text === ANY_ORIGIN || (/^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text)

const postgresUrl: Parser<string> = {
  expected: text => {
    const read = readPostgresUrl(text)
    return 'expected' in read ? read.expected : ''
  },
  from: text => {
    const read = readPostgresUrl(text)
    return 'url' in read ? read.url : undefined
  },
  secret: true,
}

const instant: Parser<Date> = {
  expected: 'a date (YYYY-MM-DD) or an instant of RFC 3339',
  from: text => {
    if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d))?$/.test(text)) return undefined
    try {
      // Loaded only where a date is set: most commands need it for nothing else.
      const { Temporal } = require('temporal-polyfill') as typeof import('temporal-polyfill')
      return new Date(Temporal.Instant.from(text.includes('T') ? text : `${text}T00:00Z`).epochMilliseconds)
    } catch {
      return undefined
    }
  },
}
