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

const folder = mkdtempSync(join(tmpdir(), 'partner-metrics-tls-'))
const file = (name: string): string => join(folder, name)

const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' })

const NEW_KEY = ['-newkey', 'rsa:2048', '-nodes']

/** Makes a certificate authority. */
const makeAuthority = (name: string) =>
  openssl(
    ...['req', '-x509', ...NEW_KEY, '-days', '2', '-subj', `/CN=${name}`],
    ...['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)],
  )

/** Makes the certificate of a server, signed by an authority. */
function makeCertificate(name: string, authority: string, host: string): void {
  writeFileSync(file('san'), `subjectAltName=DNS:${host}`)
  openssl('req', ...NEW_KEY, '-subj', `/CN=${host}`, '-keyout', file(`${name}.key`), '-out', file(`${name}.csr`))
  openssl(
    ...['x509', '-req', '-days', '2', '-CA', file(`${authority}.pem`), '-CAkey', file(`${authority}.key`)],
    ...['-CAcreateserial', '-in', file(`${name}.csr`), '-out', file(`${name}.pem`), '-extfile', file('san')],
  )
}

/** Installs a certificate, which PostgreSQL presents after its next reload. */
function present(name: string): void {
  const account = accountFor(folder)
  for (const kind of ['pem', 'key']) {
    const presented = file(`presented.${kind}`)
    copyFileSync(file(`${name}.${kind}`), presented)
    chmodSync(presented, 0o600)
    if (account) chownSync(presented, account.uid, account.gid)
  }
}

const describeTls = hasOpenssl ? describe : describe.skip

describeTls('a PostgreSQL that accepts only TLS connections', () => {
  let embedded: Embedded
  let postgres: Client
  beforeAll(async () => {
    chmodSync(folder, 0o755)
    for (const authority of ['ours', 'theirs']) makeAuthority(authority)
    makeCertificate('right', 'ours', 'localhost')
    makeCertificate('misnamed', 'ours', 'db.example')
    present('right')
    const presented = { ssl_cert_file: file('presented.pem'), ssl_key_file: file('presented.key') }
    const settings = { fsync: 'off', ssl: 'on', ...presented }
    embedded = await openEmbedded({ dataDir: file('data'), create: true, settings })
    postgres = new Client({ connectionString: embedded.ownerUrl })
    await postgres.connect()
    for (const login of ['metrics', 'metrics_reader']) {
      await postgres.query(`CREATE ROLE ${login} LOGIN PASSWORD 'secret'`)
    }
    await postgres.query('CREATE DATABASE metrics OWNER metrics')
    const rules = file('data/postgres/cluster/pg_hba.conf')
    const forced = 'hostssl metrics all all scram-sha-256\nhost metrics all all reject\n'
    writeFileSync(rules, forced + readFileSync(rules, 'utf8'))
    await postgres.query('SELECT pg_reload_conf()')
  })
  afterAll(async () => {
    await postgres.end()
    await embedded.leave()
    rmSync(folder, { recursive: true })
  })

  const urlOf = (login: string, parameters: string): string =>
    `postgres://${login}:secret@localhost:${new URL(embedded.ownerUrl).port}/metrics${parameters}`
  const envOf = (parameters: string): Env => ({
    DATABASE_URL: urlOf('metrics', parameters),
    READER_DATABASE_URL: urlOf('metrics_reader', parameters),
  })
  const trusting = (authority: string) => `&sslrootcert=${file(`${authority}.pem`)}`

  test.each(['require', 'verify-full'])('works with every command with sslmode=%s', async mode => {
    const env = envOf(`?sslmode=${mode}${mode === 'require' ? '' : trusting('ours')}`)
    expect(await run(['migrate'], env)).toMatchObject({ code: 0, stderr: '' })
    expect(await run(['import', 'companies', '-'], env, 'name\nAcme\n')).toMatchObject({ code: 0 })
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

  const UNTRUSTED = 'CERTIFICATE_NOT_TRUSTED'

  test.each<[string, parameters: string, reason?: RegExp | undefined, presented?: string, code?: string]>([
    ['of an unknown authority', '?sslmode=verify-full', /self-signed certificate|unable to verify/],
    ['of another authority', `?sslmode=verify-ca${trusting('theirs')}`, /unable to verify|unable to get/],
    ['of another authority, as in libpq', `?sslmode=require${trusting('theirs')}`, /unable to/],
    ['of another host', `?sslmode=verify-full${trusting('ours')}`, /db\.example/, 'misnamed'],
    ['of another host, which does not matter', `?sslmode=verify-ca${trusting('ours')}`, undefined, 'misnamed'],
    ['that is not asked for', '?sslmode=disable', /no encryption/, 'right', 'DATABASE_UNAVAILABLE'],
  ])('a certificate %s is judged by sslmode', async (_, parameters, reason, presented = 'right', code = UNTRUSTED) => {
    present(presented)
    await postgres.query('SELECT pg_reload_conf()')
    const { code: exit, document } = await runJson(['migrate'], envOf(parameters))
    const message = expect.stringMatching(reason ?? '')
    expect([exit, document]).toMatchObject(reason ? [1, { error: { code, message } }] : [0, { migrations: [] }])
    const remedy = 'sslrootcert in DATABASE_URL names the file'
    if (document.error?.code === UNTRUSTED) expect(document.error.message).toContain(remedy)
  })
})
