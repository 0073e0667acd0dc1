import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { readSettings } from '../../cli/settings'
import { run, runJson } from '../support/command'

const faultsOf = (env: Record<string, string>): string[] => {
  try {
    readSettings(env)
    return []
  } catch (error) {
    return (error as Error).message.split('\n')
  }
}

describe('the settings', () => {
  test('are these when nothing is set, and empty counts as not set', () => {
    const defaults = {
      host: '127.0.0.1',
      port: 4000,
      adminPort: 9464,
      environment: 'dev',
      databaseUrl: undefined,
      readerDatabaseUrl: undefined,
      writerDatabaseUrl: undefined,
      dataDir: resolve('.data'),
      partnerGaDate: undefined,
      logLevel: 'info',
      workers: 1,
      corsOrigins: [],
      rateLimit: 600,
      rateWindowSeconds: 60,
      maxConnections: 1_000,
      maxInFlight: 256,
      maxEventLoopDelayMs: 1_000,
      poolSize: 10,
      statementTimeoutMs: 5_000,
      connectTimeoutMs: 3_000,
      shutdownTimeoutMs: 10_000,
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
    }
    expect(readSettings(env)).toMatchObject({
      host: '::1',
      port: 0,
      adminPort: 0,
      environment: 'production',
      // Modes of TLS mean what libpq means by them.
      databaseUrl: `${env.DATABASE_URL}&uselibpqcompat=true`,
      readerDatabaseUrl: env.READER_DATABASE_URL,
      dataDir: resolve('some where'),
      partnerGaDate: new Date('2026-03-01T08:00:00Z'),
    })
  })

  test('take a date as the beginning of that day in UTC', () => {
    expect(readSettings({ PARTNER_GA_DATE: '2026-03-01' }).partnerGaDate).toEqual(new Date('2026-03-01T00:00:00Z'))
  })

  test('start as many workers as there are cores where that is asked for', () => {
    expect(readSettings({ WORKERS: 'auto' }).workers).toBe(availableParallelism())
    expect(readSettings({ WORKERS: '3' }).workers).toBe(3)
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
    ['WORKERS', '0'],
    ['WORKERS', 'all'],
    ['RATE_LIMIT', '0'],
    ['CORS_ORIGINS', 'app.example'],
    ['CORS_ORIGINS', 'https://app.example/path'],
    ['CORS_ORIGINS', 'https://app.example,,'],
    ['RATE_WINDOW_SECONDS', '1.5'],
    ['MAX_IN_FLIGHT', '0'],
    ['POOL_SIZE', '0'],
    ['STATEMENT_TIMEOUT_MS', '0'],
    ['CONNECT_TIMEOUT_MS', '∞'],
    ['SHUTDOWN_TIMEOUT_MS', '600001'],
  ])('refuse %s=%s, by name and with what would do', (name, value) => {
    expect(faultsOf({ [name]: value })).toEqual([expect.stringMatching(`^${name} is ".*", but must be `)])
  })

  test('never repeat a URL, which may hold a password', () => {
    const faults = faultsOf({ DATABASE_URL: 'mysql://root:hunter2@db', READER_DATABASE_URL: 'hunter2' })
    expect(faults).toHaveLength(2)
    expect(faults.join()).not.toContain('hunter2')
  })

  test('refuse a mode of TLS that is none, and files that cannot be read', () => {
    const faultOf = (parameters: string) => faultsOf({ DATABASE_URL: `postgres://u:hunter2@db/x?${parameters}` }).join()
    expect(faultOf('sslmode=yes')).toContain('must be a URL whose sslmode is one of disable, require, verify-ca, ver')
    expect(faultOf('sslmode=prefer')).toContain('sslmode')
    expect(faultOf('sslmode=verify-ca')).toContain('with sslrootcert')
    expect(faultOf('sslmode=verify-full&sslrootcert=/no/such.pem')).toContain('sslrootcert can be read: /no/such.pem')
    expect(faultOf('sslmode=verify-full')).toBe('')
  })

  test('refuse one port for two servers, and a reader of no database', () => {
    expect(faultsOf({ PORT: '5000', ADMIN_PORT: '5000' })).toEqual([expect.stringMatching('^ADMIN_PORT ')])
    expect(faultsOf({ READER_DATABASE_URL: 'postgres://db/x' })).toEqual([
      expect.stringMatching('^READER_DATABASE_URL '),
    ])
  })

  test('stop every command with one line for each of their faults and exit code 2', async () => {
    const env = { PORT: 'x', METRICS_ENV: 'y', LOG_LEVEL: 'z' }
    for (const args of [['serve'], ['migrate'], ['keys', 'list']]) {
      const { code, stdout, stderr } = await run(args, env)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr.trimEnd().split('\n')).toEqual([
        expect.stringMatching(/^error: PORT /),
        expect.stringMatching(/^error: METRICS_ENV /),
        expect.stringMatching(/^error: LOG_LEVEL /),
      ])
    }
    const { code, document } = await runJson(['migrate'], { PORT: 'x' })
    expect(code).toBe(2)
    expect(document).toEqual({ error: { code: 'INVALID_SETTINGS', message: expect.stringMatching(/^PORT is "x"/) } })
  })
})
