/** The settings, which are environment variables. All are checked at the start: all errors are reported at once. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Environment } from '../db/api-keys/key-format'
import { isInstant } from '../db/calendar/instants'
import { isDate } from '../db/calendar/local-days'
import type { OperatorStatement } from '../resolvers/methodology'
import { Proxies } from '../rest-gateway/edge/proxies'
import { UsageError } from './invocation'
import { defaultDataDir, packageDirectory } from './package-directory'
import { readPostgresUrls } from './postgres-url'

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

export type Settings = ReturnType<typeof readValues>

/**
 * Reads the settings. A variable that is empty counts as missing.
 *
 * @throws UsageError with one line for each error
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const errors: string[] = []
  const read: Read = (name, defaultValue, parser) => {
    const text = env[name]
    if (text === undefined || text === '') return defaultValue
    let { expected } = parser
    try {
      const value = parser.parse(text)
      if (value !== undefined) return value
    } catch (error) {
      expected += (error as Error).message
    }
    errors.push(`${name}${parser.secret ? '' : ` is ${JSON.stringify(text)}, but`} must be ${expected}`)
    return defaultValue
  }
  const settings = readValues(read)
  if (settings.port !== 0 && settings.port === settings.adminPort) {
    errors.push(`ADMIN_PORT is ${settings.adminPort}, but must differ from PORT`)
  }
  if (env.READER_DATABASE_URL && !env.DATABASE_URL) {
    errors.push('READER_DATABASE_URL can only be given together with DATABASE_URL')
  }
  if (errors.length > 0) throw new UsageError('INVALID_SETTINGS', errors.join('\n'))
  return settings
}

/** Returns all settings, each read with its variable, its default and its parser. */
const readValues = (read: Read) => ({
  host: read('HOST', '127.0.0.1', host),
  /** 0 for any free port. */
  port: read('PORT', 4000, integer(0, 65_535)),
  adminPort: read('ADMIN_PORT', 9464, integer(0, 65_535)),
  environment: read('METRICS_ENV', 'dev', oneOf<Environment>(['dev', 'production'])),
  /** Undefined for the embedded PostgreSQL in dataDir. */
  databaseUrl: read('DATABASE_URL', undefined, postgresUrl),
  /** One for each host, of which one is the primary. */
  readerDatabaseUrls: read('READER_DATABASE_URL', undefined, postgresUrls),
  /** An absolute path, the same wherever the command is run from. */
  dataDir: read('DATA_DIR', defaultDataDir(packageDirectory()), path),
  /** The folder of the programs of the embedded PostgreSQL; undefined for those that come with the package. */
  postgresBin: read('POSTGRES_BIN', undefined, path),
  /** When the partner interface became generally available. */
  partnerGaDate: read('PARTNER_GA_DATE', undefined, instant),
  /** The address of the service as its clients have it, without a slash at the end. */
  publicUrl: read('PUBLIC_URL', undefined, publicUrl),
  supportContact: read('SUPPORT_CONTACT', undefined, contact),
  /** The operator's statement about the methodology. */
  statement: read('METHODOLOGY_FILE', undefined, statement),
  logLevel: read('LOG_LEVEL', 'info', oneOf(LOG_LEVELS)),
  /** Requests of a key per window. */
  rateLimit: read('RATE_LIMIT', 600, integer(1, 1_000_000_000)),
  rateWindowSeconds: read('RATE_WINDOW_SECONDS', 60, integer(1, 86_400)),
  /** Open connections, per process. */
  maxConnections: read('MAX_CONNECTIONS', 1_000, integer(1, 100_000)),
  /** Open connections of one remote address, per process. */
  maxConnectionsPerAddress: read('MAX_CONNECTIONS_PER_ADDRESS', 500, integer(1, 100_000)),
  /** Addresses or CIDRs of the reverse proxies in front of the service. */
  trustedProxies: read('TRUSTED_PROXIES', [], networks),
  /** Bytes of large responses that are being sent, per process. */
  maxUnsentBytes: read('MAX_UNSENT_BYTES', 134_217_728, integer(1, 9_999_999_999)),
  /** Delay of the event loop from which on requests without an accepted key are rejected. */
  maxEventLoopDelayMs: read('MAX_EVENT_LOOP_DELAY_MS', 500, integer(1, 600_000)),
  /** Database connections for reading, per process. */
  poolSize: read('POOL_SIZE', 10, integer(1, 1_000)),
  statementTimeoutMs: read('STATEMENT_TIMEOUT_MS', 5_000, integer(1, 600_000)),
  connectTimeoutMs: read('CONNECT_TIMEOUT_MS', 3_000, integer(1, 600_000)),
  /** The longest that a revoked key may live on a replica. */
  maxReplicaLagMs: read('MAX_REPLICA_LAG', 1_000, replicaLag),
  /** Time for requests in flight to finish when the service stops. */
  shutdownTimeoutMs: read('SHUTDOWN_TIMEOUT_MS', 10_000, integer(0, 600_000)),
  /** Turns on traces. The SDK itself reads this and most other variables of OpenTelemetry. */
  otlpEndpoint: read('OTEL_EXPORTER_OTLP_ENDPOINT', undefined, httpUrl),
})

/** Returns the value of a variable, or the default where it is missing. */
type Read = <Value, Default>(name: string, defaultValue: Default, parser: Parser<Value>) => Value | Default

interface Parser<Value> {
  /** The valid values, in words that complete the sentence "… must be". */
  expected: string
  /** Returns undefined for an invalid value. @throws Error whose message completes `expected` */
  parse(text: string): Value | undefined
  /** Whether error messages must not show the value. */
  secret?: boolean
}

const integer = (min: number, max: number): Parser<number> => ({
  expected: `a whole number from ${min} to ${max}`,
  parse: text => (/^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined),
})

const oneOf = <Choice extends string>(choices: readonly Choice[]): Parser<Choice> => ({
  expected: `one of ${choices.join(', ')}`,
  parse: text => choices.find(choice => choice === text),
})

const host: Parser<string> = {
  expected: 'an address or name to listen on',
  parse: text => (/^[\w.:%-]{1,255}$/.test(text) ? text : undefined),
}

const path: Parser<string> = { expected: 'a directory', parse: text => resolve(text) }

const httpUrl: Parser<string> = {
  expected: 'a URL that begins with http:// or https://',
  parse: text => (/^https?:/.test(text) && URL.canParse(text) ? text : undefined),
  secret: true,
}

const publicUrl: Parser<string> = {
  expected: 'a URL that begins with http:// or https://, without a user, a query or a fragment',
  parse: text =>
    /^https?:\/\/[^\s?#@]+$/.test(text) && URL.canParse(text) ? new URL(text).href.replace(/\/+$/, '') : undefined,
  secret: true,
}

const contact: Parser<string> = {
  expected: 'an e-mail address or a URL (https://…)',
  parse: text => (/^([\w.+-]+@[\w.-]+|https?:\/\/[\w.:/?=%+-]+)$/.test(text) ? text : undefined),
}

const statement: Parser<OperatorStatement> = {
  expected: 'a file of JSON such as ops/methodology.json: ',
  parse(text) {
    // Loading the schema takes time, which a service without a statement does not need.
    const { readStatement } = require('../resolvers/statement') as typeof import('../resolvers/statement')
    return readStatement(readFileSync(text, 'utf8'))
  },
}

const networks: Parser<string[]> = {
  expected: 'addresses or CIDRs separated by commas',
  parse: text =>
    text.split(',').map(item => {
      const network = item.trim()
      try {
        new Proxies([network])
        return network
      } catch {
        throw new Error(`, unlike ${JSON.stringify(network)}`)
      }
    }),
}

const postgresUrls: Parser<string[]> = { expected: '', parse: readPostgresUrls, secret: true }

const postgresUrl: Parser<string> = {
  ...postgresUrls,
  parse: text => {
    const [url, ...others] = readPostgresUrls(text)
    if (others.length > 0) throw new Error('a URL with one host: only READER_DATABASE_URL lists several')
    return url
  },
}

const UNITS_MS = { ms: 1, s: 1_000, min: 60_000 }

/** Hosts are asked four times a second. */
const replicaLag: Parser<number> = {
  expected: 'a time from 500ms to 10min, such as 1s',
  parse: text => {
    const [, number, unit] = /^(\d{1,6})(ms|s|min)$/.exec(text) ?? []
    const ms = Number(number) * UNITS_MS[unit as keyof typeof UNITS_MS]
    return ms >= 500 && ms <= 600_000 ? ms : undefined
  },
}

const instant: Parser<Date> = {
  expected: 'a date (YYYY-MM-DD) or an instant of RFC 3339',
  parse: text => (isDate(text) || isInstant(text) ? new Date(text) : undefined),
}
