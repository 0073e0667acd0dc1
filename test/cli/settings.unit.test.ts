/** The settings: values of variables, and errors that name the variable and what it must be. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readSettings } from '../../cli/settings'

const collectErrors = (env: Record<string, string>): string[] => {
  try {
    readSettings(env)
    return []
  } catch (error) {
    return (error as Error).message.split('\n')
  }
}

const OWNER = 'postgres://owner:hunter2@h/db'

test('settings have defaults, also for empty variables', () => {
  const defaults = readSettings({})
  expect(defaults).toMatchObject({
    ...{ host: '127.0.0.1', port: 4000, adminPort: 9464, environment: 'dev', logLevel: 'info' },
    ...{ databaseUrl: undefined, readerDatabaseUrls: undefined, publicUrl: undefined, partnerGaDate: undefined },
    ...{ dataDir: resolve(__dirname, '..', '..', '.data'), rateLimit: 600, rateWindowSeconds: 60, poolSize: 10 },
    ...{ statementTimeoutMs: 5_000, connectTimeoutMs: 3_000, maxReplicaLagMs: 1_000, shutdownTimeoutMs: 10_000 },
  })
  const empty = Object.fromEntries(
    ['PORT', 'METRICS_ENV', 'DATABASE_URL', 'READER_DATABASE_URL'].map(name => [name, '']),
  )
  expect(readSettings(empty)).toEqual(defaults)
})

test.each<[variable: string, text: string, setting: keyof ReturnType<typeof readSettings>, value: unknown]>([
  ['HOST', '::1', 'host', '::1'],
  ['METRICS_ENV', 'production', 'environment', 'production'],
  ['DATA_DIR', 'some where', 'dataDir', resolve('some where')],
  ['PARTNER_GA_DATE', '2026-03-01', 'partnerGaDate', new Date('2026-03-01T00:00:00Z')],
  ['PARTNER_GA_DATE', '2026-03-01T10:00:00+02:00', 'partnerGaDate', new Date('2026-03-01T08:00:00Z')],
  ['PUBLIC_URL', 'https://Metrics.example:443/api/', 'publicUrl', 'https://metrics.example/api'],
  ['SUPPORT_CONTACT', 'partners@example.com', 'supportContact', 'partners@example.com'],
  ['TRUSTED_PROXIES', '10.0.0.0/8, ::1', 'trustedProxies', ['10.0.0.0/8', '::1']],
  // TLS modes have the meaning of libpq.
  ['DATABASE_URL', `${OWNER}?sslmode=verify-full`, 'databaseUrl', `${OWNER}?sslmode=verify-full&uselibpqcompat=true`],
  [
    'READER_DATABASE_URL',
    'postgresql://u:p%2C@h1,h2:5433,[::1]:5434/db',
    'readerDatabaseUrls',
    ['h1', 'h2:5433', '[::1]:5434'].map(host => `postgresql://u:p%2C@${host}/db`),
  ],
])('%s=%s', (variable, text, setting, value) => {
  expect(readSettings({ DATABASE_URL: OWNER, [variable]: text })[setting]).toEqual(value)
})

test.each<[name: string, value: string]>([
  ...['65536', '-1', '4e3'].map((text): [string, string] => ['PORT', text]),
  ['ADMIN_PORT', 'none'],
  ['HOST', 'two words'],
  ['METRICS_ENV', 'staging'],
  ['LOG_LEVEL', 'loud'],
  ...['2026-02-30', '1 March 2026', '2026-03-01T10:00:00'].map((text): [string, string] => ['PARTNER_GA_DATE', text]),
  ['RATE_LIMIT', '0'],
  ['RATE_WINDOW_SECONDS', '1.5'],
  ['TRUSTED_PROXIES', '10.0.0.0/8,10.0.0.0/33, proxy.example'],
  ['MAX_UNSENT_BYTES', '0'],
  ['POOL_SIZE', '0'],
  ['STATEMENT_TIMEOUT_MS', '0'],
  ['CONNECT_TIMEOUT_MS', '∞'],
  ['SHUTDOWN_TIMEOUT_MS', '600001'],
  ...['100ms', '1'].map((text): [string, string] => ['MAX_REPLICA_LAG', text]),
])('%s=%s is refused with its name, its value and the valid ones', (name, value) => {
  expect(collectErrors({ [name]: value })).toEqual([
    expect.stringMatching(`^${name} is "${value.replace(/[$*]/g, '.')}", but must be `),
  ])
})

/** Variables whose value may contain a password, which no error repeats. */
test.each<[name: string, value: string, message: string]>([
  ...['metrics.example', 'ftp://metrics.example', 'https://metrics.example?a=b', 'https://', 'https://a b'].map(
    (text): [string, string, string] => ['PUBLIC_URL', text, 'must be a URL'],
  ),
  ['PUBLIC_URL', 'https://root:hunter2@metrics.example', 'must be a URL'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'hunter2', 'must be a URL'],
  ['DATABASE_URL', 'mysql://root:hunter2@db', 'must be a URL of the form postgres://'],
  ['DATABASE_URL', `${OWNER}?sslmode=yes`, 'must be a URL whose sslmode is one of disable, require, verify-ca, ver'],
  ['DATABASE_URL', `${OWNER}?sslmode=verify-ca`, 'must be a URL with sslrootcert'],
  [
    'DATABASE_URL',
    `${OWNER}?sslmode=require&sslrootcert=/no/such.pem`,
    'must be a URL whose sslrootcert can be read: /no',
  ],
  ['DATABASE_URL', 'postgres://u:hunter2@h1,h2/db', 'must be a URL with one host: only READER_DATABASE_URL'],
  ...['h1,,h2', 'h1,h1', ',h1', 'h1,'].map((hosts): [string, string, string] => [
    'READER_DATABASE_URL',
    `postgres://u:hunter2@${hosts}/db`,
    'must be a URL that names each host once',
  ]),
  ['READER_DATABASE_URL', 'postgres://u:hunter2@h1:x,h2/db', 'must be a URL of the form postgres://'],
])('%s=%s is refused without its value', (name, value, message) => {
  const errors = collectErrors({ DATABASE_URL: OWNER, [name]: value })
  expect(errors).toEqual([expect.stringContaining(`${name} ${message}`)])
  expect(errors.join()).not.toContain('hunter2')
})

test('one port for two servers is refused, and so is a reader without a database', () => {
  expect(collectErrors({ PORT: '5000', ADMIN_PORT: '5000' })).toEqual([expect.stringMatching('^ADMIN_PORT ')])
  const [error, ...others] = collectErrors({ READER_DATABASE_URL: 'postgres://db/x' })
  expect([error, others]).toEqual([expect.stringMatching('^READER_DATABASE_URL '), []])
})

describe('METHODOLOGY_FILE', () => {
  const folder = mkdtempSync(join(tmpdir(), 'methodology-'))
  const file = join(folder, 'methodology.json')
  afterAll(() => rmSync(folder, { recursive: true }))

  test.each<[wrong: string, message: string]>([
    [
      '{"sources": [{"figure": "impressions", "name": "Cams", "kind": "guessed"}]}',
      'sources[0].kind": Value "guessed"',
    ],
    ['{"exposure_zone": []}', 'Did you mean "exposure_zones"?'],
    ['{', 'JSON'],
  ])('%s is refused with the field and what is expected', (wrong, message) => {
    writeFileSync(file, wrong)
    const errors = collectErrors({ METHODOLOGY_FILE: file })
    expect(errors).toEqual([expect.stringMatching(`^METHODOLOGY_FILE is "${file}", but must be a file of JSON`)])
    expect(errors[0]).toContain(message)
  })

  test('a field left out is not stated, and an empty list says that there are none', () => {
    writeFileSync(file, '{"adjustments": []}')
    const { statement } = readSettings({ METHODOLOGY_FILE: file })
    expect([statement?.adjustments, statement?.audits, statement?.provider]).toEqual([[], null, null])
    expect(collectErrors({ METHODOLOGY_FILE: join(folder, 'none') })).toEqual([expect.stringContaining('no such file')])
  })
})
