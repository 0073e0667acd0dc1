import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { accountFor } from '../../db/embedded/account'
import { type Embedded, openEmbedded } from '../../db/embedded/embedded-cluster'
import { Command, type Env, run, runJson } from '../support/command'
import { send } from '../support/http'

jest.setTimeout(120_000)

const hasOpenssl = spawnSync('openssl', ['version']).status === 0

if (!hasOpenssl) console.warn('openssl is not installed: skipping TLS to PostgreSQL')

/** A directory with certificate authorities and server certificates signed by them. */
class Certificates {
  readonly path = mkdtempSync(join(tmpdir(), 'partner-metrics-tls-'))

  constructor() {
    chmodSync(this.path, 0o755)
  }

  file = (name: string): string => join(this.path, name)

  authority(name: string): void {
    this.openssl(
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
      ...this.out(name),
    )
  }

  server(name: string, authority: string, host: string): void {
    writeFileSync(this.file('san'), `subjectAltName=DNS:${host}`)
    this.openssl('req', '-newkey', 'rsa:2048', '-nodes', '-subj', `/CN=${host}`, ...this.out(name, 'csr'))
    const signing = ['-CA', this.file(`${authority}.pem`), '-CAkey', this.file(`${authority}.key`), '-CAcreateserial']
    const paths = ['-in', this.file(`${name}.csr`), '-out', this.file(`${name}.pem`), '-extfile', this.file('san')]
    this.openssl('x509', '-req', '-days', '2', ...signing, ...paths)
  }

  /** Installs a certificate, which PostgreSQL presents after its next reload. */
  present(name: string): void {
    const account = accountFor(this.path)
    for (const kind of ['pem', 'key']) {
      const file = this.file(`presented.${kind}`)
      copyFileSync(this.file(`${name}.${kind}`), file)
      chmodSync(file, 0o600)
      if (account) chownSync(file, account.uid, account.gid)
    }
  }

  dispose(): void {
    rmSync(this.path, { recursive: true })
  }

  private out = (name: string, kind = 'pem') => [
    '-keyout',
    this.file(`${name}.key`),
    '-out',
    this.file(`${name}.${kind}`),
  ]

  private openssl(...args: string[]): void {
    execFileSync('openssl', args, { stdio: 'pipe' })
  }
}

const describeTls = hasOpenssl ? describe : describe.skip

describeTls('a PostgreSQL that accepts only TLS connections', () => {
  const certificates = new Certificates()
  const dataDir = certificates.file('data')
  let embedded: Embedded
  let postgres: Client
  beforeAll(async () => {
    certificates.authority('ours')
    certificates.authority('theirs')
    certificates.server('right', 'ours', 'localhost')
    certificates.server('misnamed', 'ours', 'db.example')
    certificates.present('right')
    const presented = {
      ssl_cert_file: certificates.file('presented.pem'),
      ssl_key_file: certificates.file('presented.key'),
    }
    embedded = await openEmbedded({ dataDir, create: true, settings: { fsync: 'off', ssl: 'on', ...presented } })
    postgres = new Client({ connectionString: embedded.ownerUrl })
    await postgres.connect()
    await postgres.query(`CREATE ROLE metrics LOGIN PASSWORD 'secret'`)
    await postgres.query(`CREATE ROLE metrics_reader LOGIN PASSWORD 'secret'`)
    await postgres.query(`CREATE ROLE metrics_writer LOGIN PASSWORD 'secret'`)
    await postgres.query(`CREATE DATABASE metrics OWNER metrics`)
    const rules = join(dataDir, 'postgres', 'cluster', 'pg_hba.conf')
    const forced = 'hostssl metrics all all scram-sha-256\nhost metrics all all reject\n'
    writeFileSync(rules, forced + readFileSync(rules, 'utf8'))
    await postgres.query('SELECT pg_reload_conf()')
  })
  afterAll(async () => {
    await postgres.end()
    await embedded.leave()
    certificates.dispose()
  })

  const urlOf = (login: string, parameters: string): string =>
    `postgres://${login}:secret@localhost:${new URL(embedded.ownerUrl).port}/metrics${parameters}`
  const envOf = (parameters: string): Env => ({
    DATABASE_URL: urlOf('metrics', parameters),
    READER_DATABASE_URL: urlOf('metrics_reader', parameters),
    WRITER_DATABASE_URL: urlOf('metrics_writer', parameters),
  })
  const trusting = (authority: string) => `&sslrootcert=${certificates.file(`${authority}.pem`)}`

  test.each(['require', 'verify-full'])('works with every command with sslmode=%s', async mode => {
    const env = envOf(`?sslmode=${mode}${mode === 'require' ? '' : trusting('ours')}`)
    expect(await run(['migrate'], env)).toMatchObject({ code: 0, stderr: '' })
    const csv = certificates.file('companies.csv')
    writeFileSync(csv, 'name\nAcme\n')
    expect(await run(['import', 'companies', csv], env)).toMatchObject({ code: 0 })
    const { document } = await runJson(['keys', 'issue', '--company', 'Acme'], env)
    const service = new Command(['serve'], env)
    const answer = await send(`${await service.url()}/v1/partner/meta`, { key: document.key })
    expect(answer.body.companies).toEqual([{ id: expect.any(String), name: 'Acme', final_through: null }])
    const { rows } = await postgres.query(
      `SELECT DISTINCT usename, ssl FROM pg_stat_activity JOIN pg_stat_ssl USING (pid) WHERE datname = 'metrics'`,
    )
    expect(rows).toContainEqual({ usename: 'metrics_reader', ssl: true })
    expect(rows).not.toContainEqual(expect.objectContaining({ ssl: false }))
    const { code, stderr } = await service.end('SIGTERM')
    expect([code, stderr]).toEqual([0, expect.not.stringMatching(/warning/i)])
  })

  test.each([
    ['an authority that is not configured', () => '?sslmode=verify-full', /self-signed certificate|unable to verify/],
    [
      'another authority than the configured one',
      () => `?sslmode=verify-ca${trusting('theirs')}`,
      /unable to verify|unable to get/,
    ],
    [
      'another authority, with sslmode=require and sslrootcert, as in libpq',
      () => `?sslmode=require${trusting('theirs')}`,
      /unable to/,
    ],
  ])('is rejected when its certificate is signed by %s', async (_, parameters, reason) => {
    const { code, document } = await runJson(['migrate'], envOf(parameters()))
    expect([code, document.error.code]).toEqual([1, 'CERTIFICATE_NOT_TRUSTED'])
    expect(document.error.message).toMatch(reason)
    expect(document.error.message).toContain('sslrootcert in DATABASE_URL names the file')
  })

  test('is rejected with sslmode=disable', async () => {
    const { code, document } = await runJson(['migrate'], envOf('?sslmode=disable'))
    expect([code, document.error.code]).toEqual([1, 'DATABASE_UNAVAILABLE'])
    expect(document.error.message).toContain('no encryption')
  })

  test('needs the right host name with verify-full, but not with verify-ca', async () => {
    certificates.present('misnamed')
    await postgres.query('SELECT pg_reload_conf()')
    const full = await runJson(['migrate'], envOf(`?sslmode=verify-full${trusting('ours')}`))
    expect(full).toMatchObject({ code: 1, document: { error: { code: 'CERTIFICATE_NOT_TRUSTED' } } })
    expect(full.document.error.message).toContain('db.example')
    expect(await run(['migrate'], envOf(`?sslmode=verify-ca${trusting('ours')}`))).toMatchObject({ code: 0 })
    certificates.present('right')
    await postgres.query('SELECT pg_reload_conf()')
  })
})
