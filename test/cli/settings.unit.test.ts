import { resolve } from 'node:path'
import { readSettings } from '../../cli/settings'

const collectErrors = (env: Record<string, string>): string[] => {
  try {
    readSettings(env)
    return []
  } catch (error) {
    return (error as Error).message.split('\n')
  }
}

describe('the settings', () => {
  test('have defaults, also for empty variables', () => {
    const defaults = {
      host: '127.0.0.1',
      port: 4000,
      adminPort: 9464,
      environment: 'dev',
      databaseUrl: undefined,
      readerDatabaseUrls: undefined,
      writerDatabaseUrl: undefined,
      dataDir: resolve(__dirname, '..', '..', '.data'),
      partnerGaDate: undefined,
      publicUrl: undefined,
      supportContact: undefined,
      logLevel: 'info',
      corsOrigins: [],
      rateLimit: 600,
      rateWindowSeconds: 60,
      maxConnections: 1_000,
      maxConnectionsPerAddress: 500,
      trustedProxies: [],
      maxUnsentBytes: 134_217_728,
      maxEventLoopDelayMs: 500,
      poolSize: 10,
      statementTimeoutMs: 5_000,
      connectTimeoutMs: 3_000,
      maxReplicaLagMs: 1_000,
      withoutPrimary: 'serve',
      shutdownTimeoutMs: 10_000,
      otlpEndpoint: undefined,
      otlpProtocol: 'http/protobuf',
      tracesExporter: 'otlp',
    }
    expect(readSettings({})).toEqual(defaults)
    expect(readSettings({ PORT: '', METRICS_ENV: '', DATABASE_URL: '', READER_DATABASE_URL: '' })).toEqual(defaults)
  })

  test('are read from the environment', () => {
    const env = {
      HOST: '::1',
      PORT: '0',
      ADMIN_PORT: '0',
      METRICS_ENV: 'production',
      DATABASE_URL: 'postgres://owner:secret@db.example:5432/metrics?sslmode=verify-full',
      READER_DATABASE_URL: 'postgresql://reader:secret@db.example/metrics',
      DATA_DIR: 'some where',
      PARTNER_GA_DATE: '2026-03-01T10:00:00+02:00',
      PUBLIC_URL: 'https://Metrics.example:443/api/',
      SUPPORT_CONTACT: 'partners@example.com',
    }
    expect(readSettings(env)).toMatchObject({
      host: '::1',
      port: 0,
      adminPort: 0,
      environment: 'production',
      // TLS modes have the meaning of libpq.
      databaseUrl: `${env.DATABASE_URL}&uselibpqcompat=true`,
      readerDatabaseUrls: [env.READER_DATABASE_URL],
      dataDir: resolve('some where'),
      publicUrl: 'https://metrics.example/api',
      partnerGaDate: new Date('2026-03-01T08:00:00Z'),
      supportContact: 'partners@example.com',
    })
  })

  test('may have a date for an instant, which is the start of the day in UTC', () => {
    expect(readSettings({ PARTNER_GA_DATE: '2026-03-01' }).partnerGaDate).toEqual(new Date('2026-03-01T00:00:00Z'))
  })

  test.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '4e3'],
    ['ADMIN_PORT', 'none'],
    ['HOST', 'two words'],
    ['METRICS_ENV', 'staging'],
    ['LOG_LEVEL', 'loud'],
    ['PARTNER_GA_DATE', '2026-02-30'],
    ['PARTNER_GA_DATE', '1 March 2026'],
    ['PARTNER_GA_DATE', '2026-03-01T10:00:00'],
    ['RATE_LIMIT', '0'],
    ['CORS_ORIGINS', 'app.example'],
    ['CORS_ORIGINS', 'https://app.example/path'],
    ['CORS_ORIGINS', 'https://app.example,,'],
    ['RATE_WINDOW_SECONDS', '1.5'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['MAX_UNSENT_BYTES', '0'],
    ['POOL_SIZE', '0'],
    ['STATEMENT_TIMEOUT_MS', '0'],
    ['CONNECT_TIMEOUT_MS', '∞'],
    ['SHUTDOWN_TIMEOUT_MS', '600001'],
    ['MAX_REPLICA_LAG', '100ms'],
    ['MAX_REPLICA_LAG', '1'],
    ['WITHOUT_PRIMARY', 'wait'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ])('are refused for %s=%s, with the name and the valid values', (name, value) => {
    expect(collectErrors({ [name]: value })).toEqual([expect.stringMatching(`^${name} is ".*", but must be `)])
  })

  test.each(['metrics.example', 'ftp://metrics.example', 'https://metrics.example?a=b', 'https://', 'https://a b'])(
    'are refused for PUBLIC_URL=%s',
    text => expect(collectErrors({ PUBLIC_URL: text })).toEqual([expect.stringMatching(/^PUBLIC_URL must be a URL/)]),
  )

  test('name each of the TRUSTED_PROXIES that is invalid', () => {
    expect(readSettings({ TRUSTED_PROXIES: '10.0.0.0/8, ::1' }).trustedProxies).toEqual(['10.0.0.0/8', '::1'])
    expect(collectErrors({ TRUSTED_PROXIES: '10.0.0.0/8,10.0.0.0/33, proxy.example' })).toEqual([
      expect.stringMatching(
        /must be addresses or CIDRs separated by commas \(invalid: "10.0.0.0\/33", "proxy.example"\)$/,
      ),
    ])
  })

  test('are refused without showing a URL, which may contain a password', () => {
    const errors = collectErrors({
      DATABASE_URL: 'mysql://root:hunter2@db',
      READER_DATABASE_URL: 'hunter2',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'hunter2',
      PUBLIC_URL: 'https://root:hunter2@metrics.example',
    })
    expect(errors).toHaveLength(4)
    expect(errors.join()).not.toContain('hunter2')
  })

  test('are refused for an unknown TLS mode and for certificate files that cannot be read', () => {
    const findError = (parameters: string) =>
      collectErrors({ DATABASE_URL: `postgres://u:hunter2@db/x?${parameters}` }).join()
    expect(findError('sslmode=yes')).toContain('must be a URL whose sslmode is one of disable, require, verify-ca, ver')
    expect(findError('sslmode=prefer')).toContain('sslmode')
    expect(findError('sslmode=verify-ca')).toContain('with sslrootcert')
    expect(findError('sslmode=verify-full&sslrootcert=/no/such.pem')).toContain('sslrootcert can be read: /no/such.pem')
    expect(findError('sslmode=verify-full')).toBe('')
  })

  test('may list several hosts to read from, with the same login, database and parameters', () => {
    const env = {
      DATABASE_URL: 'postgres://o:s@h1/db',
      READER_DATABASE_URL: 'postgres://u:p%2C@h1,h2:5433,[::1]:5434/db?sslmode=require',
    }
    expect(readSettings(env).readerDatabaseUrls).toEqual(
      ['h1', 'h2:5433', '[::1]:5434'].map(host => `postgres://u:p%2C@${host}/db?sslmode=require&uselibpqcompat=true`),
    )
  })

  test('are refused for a list of hosts that is not one, or where it makes no sense', () => {
    const errors = (name: string, hosts: string) =>
      collectErrors({ DATABASE_URL: 'postgres://u:p@h/db', [name]: `postgres://u:hunter2@${hosts}/db` })
    for (const hosts of ['h1,,h2', 'h1,h1', ',h1', 'h1,']) {
      expect(errors('READER_DATABASE_URL', hosts)).toEqual([
        'READER_DATABASE_URL must be a URL that names each host once: postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE',
      ])
    }
    expect(errors('READER_DATABASE_URL', 'h1:x,h2')[0]).toContain('must be a URL of the form postgres://')
    for (const name of ['DATABASE_URL', 'WRITER_DATABASE_URL']) {
      expect(errors(name, 'h1,h2')).toEqual([
        `${name} must be a URL with one host: only READER_DATABASE_URL lists several`,
      ])
    }
  })

  test('are refused for one port for two servers, and for a reader without a database', () => {
    expect(collectErrors({ PORT: '5000', ADMIN_PORT: '5000' })).toEqual([expect.stringMatching('^ADMIN_PORT ')])
    expect(collectErrors({ READER_DATABASE_URL: 'postgres://db/x' })).toEqual([
      expect.stringMatching('^READER_DATABASE_URL '),
    ])
  })
})
