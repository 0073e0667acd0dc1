import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get, type RequestOptions } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { errorBody } from '../../rest-gateway/edge/errors'
import { Proxies } from '../../rest-gateway/edge/proxies'
import { ApiError } from '../../schema/errors'
import { Command } from '../support/command'
import { settingsOf } from '../support/databases'
import { OPS, runProgram, testWith } from '../support/debian'
import { freePort } from '../support/free-port'
import { World } from '../support/world'

jest.setTimeout(300_000)

let folder: string
let world: World
let key: string
let proxy: ChildProcess | undefined
const lines: Record<string, unknown>[] = []

/** Limits that no machine reaches: on a slow one, a process that has just started would refuse requests. */
const NO_LIMITS = {
  RATE_LIMIT: '1000000000',
  MAX_EVENT_LOOP_DELAY_MS: '600000',
  CONNECT_TIMEOUT_MS: '600000',
  STATEMENT_TIMEOUT_MS: '600000',
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'proxy-'))
  chmodSync(folder, 0o755)
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  world = await World.open({ log, limits: { proxies: new Proxies(['127.0.0.1']) } })
  key = await world.make.key([])
})
afterEach(async () => {
  const ended = proxy && new Promise(resolve => proxy?.once('close', resolve))
  proxy?.kill('SIGTERM')
  await ended
  proxy = undefined
})
afterAll(async () => {
  await world.stop()
  rmSync(folder, { recursive: true })
})

const agent = new Agent({ rejectUnauthorized: false, keepAlive: false })

function fetchOverTls(port: number, path: string, headers: RequestOptions['headers'] = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    const options = { agent, servername: 'localhost', headers: { Host: 'localhost', ...headers } }
    get(`https://127.0.0.1:${port}${path}`, options, response => {
      let text = ''
      response.setEncoding('utf8').on('data', part => (text += part))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    }).on('error', reject)
  })
}

/** Starts nginx with ops/nginx.conf. @param upstreams hosts and ports of the two processes @returns its port */
async function startNginx(upstreams: readonly string[], rate = '100r/s'): Promise<number> {
  const [http, https] = [await freePort(), await freePort()]
  const [certificate, certificateKey] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', '/CN=localhost', '-days', '2', '-keyout', certificateKey, '-out', certificate]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject], { stdio: 'ignore' })
  const replacements = new Map([
    ['listen 80;', `listen 127.0.0.1:${http};`],
    ['listen 443 ssl', `listen 127.0.0.1:${https} ssl`],
    ['127.0.0.1:4000', upstreams[0]!],
    ['127.0.0.1:4001', upstreams[1]!],
    ['rate=100r/s', `rate=${rate}`],
    ['/etc/ssl/metrics/fullchain.pem', certificate],
    ['/etc/ssl/metrics/privkey.pem', certificateKey],
  ])
  const shipped = readFileSync(join(OPS, 'nginx.conf'), 'utf8')
  for (const text of replacements.keys()) expect(shipped).toContain(text)
  // In one pass: the port of one process may begin with the digits of another's.
  const site = shipped.replaceAll(new RegExp([...replacements.keys()].join('|'), 'g'), text => replacements.get(text)!)
  writeFileSync(join(folder, 'site.conf'), site)
  const main = join(folder, 'nginx.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    each => `${each}_temp_path ${folder}/${each};`,
  )
  writeFileSync(
    main,
    `daemon off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${temporary.join(' ')} include ${folder}/site.conf; }`,
  )
  const tested = runProgram('nginx', ['-t', '-c', main])
  expect([tested.status, tested.output]).toEqual([0, expect.stringContaining('test is successful')])
  proxy = spawn('nginx', ['-c', main], { stdio: 'ignore' })
  const isOpen = () =>
    fetchOverTls(https, '/healthz').then(
      () => true,
      () => false,
    )
  while (!(await isOpen())) {
    expect(proxy.exitCode).toBeNull()
    await sleep(20)
  }
  return https
}

/** Checks that a key has its rate, and not that of each process, over many connections. */
async function checkRates(port: number): Promise<void> {
  const limited = await Promise.all(
    Array.from({ length: 4 }, () => world.make.key([], { rate_requests: 7, rate_seconds: 3_600 })),
  )
  const fetchAll = (each: string) =>
    Promise.all(Array.from({ length: 20 }, () => fetchOverTls(port, '/v1/partner/meta', { 'X-API-Key': each })))
  for (const responses of await Promise.all(limited.map(fetchAll))) {
    const statuses = responses.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(7).fill(200), ...Array(13).fill(429)])
  }
}

testWith('nginx')(
  'behind nginx the rates of keys are exact, and no request fails while one of two processes restarts',
  async () => {
    const [first, second] = [await freePort(), await freePort()]
    const startProcess = async (port: number) => {
      const env = { ...settingsOf(world.database), PORT: `${port}`, METRICS_ENV: 'dev', TRUSTED_PROXIES: '127.0.0.1' }
      const command = new Command(['serve'], { ...env, ...NO_LIMITS })
      await command.url()
      return command
    }
    const processes = await Promise.all([first, second].map(startProcess))
    const port = await startNginx([`127.0.0.1:${first}`, `127.0.0.1:${second}`], '100000r/s')
    await checkRates(port)
    const keys = await Promise.all(Array.from({ length: 6 }, () => world.make.key([])))
    let answers = 0
    const failures = new Set<string>()
    let isRunning = true
    const load = keys.map(async each => {
      while (isRunning) {
        const { status, text } = await fetchOverTls(port, '/v1/partner/meta', { 'X-API-Key': each })
        answers++
        if (status !== 200) failures.add(`${status} ${text}`)
      }
    })
    expect((await processes[0]?.end('SIGTERM'))?.code).toBe(0)
    // All keys are served by the other one meanwhile.
    const before = answers
    while (answers < before + 60) await sleep(10)
    processes[0] = await startProcess(first)
    while (answers < before + 120) await sleep(10)
    isRunning = false
    await Promise.all(load)
    expect([...failures]).toEqual([])

    await Promise.all(processes.map(each => each.end('SIGTERM')))
    const { status, headers, text } = await fetchOverTls(port, '/v1/partner/meta')
    const { code, message } = new ApiError('UNAVAILABLE')
    expect([status, headers['content-type'], headers['retry-after']]).toEqual([503, 'application/json', '1'])
    expect(JSON.parse(text)).toEqual({ error: { code, message, details: {} } })
    const legacy = await fetchOverTls(port, '/v1/metrics/x')
    expect([legacy.status, JSON.parse(legacy.text)]).toEqual([
      503,
      errorBody('/v1/metrics/x', new ApiError('UNAVAILABLE')),
    ])
  },
)

testWith('nginx')('nginx serves callers over TLS with ops/nginx.conf, and its own errors are JSON', async () => {
  const { host } = new URL(world.url)
  const port = await startNginx([host, host], '1r/m')
  const meta = await fetchOverTls(port, '/v1/partner/meta', { 'X-API-Key': key })
  expect([meta.status, meta.headers['strict-transport-security']]).toEqual([200, 'max-age=31536000'])
  // The header of the client is replaced, so that nobody chooses the address that counts.
  const refused = await fetchOverTls(port, '/v1/partner/meta', { 'X-Forwarded-For': '203.0.113.9' })
  expect(refused.status).toBe(401)
  expect(lines.at(-1)).toMatchObject({ status: 401, client: '127.0.0.1' })
  const long = await fetchOverTls(port, `/v1/partner/assets?asset_ids=${'x'.repeat(20_000)}`, { 'X-API-Key': key })
  expect(JSON.parse(long.text).error.code).toBe('URI_TOO_LONG')
  const huge = await fetchOverTls(port, `/${'x'.repeat(40_000)}`)
  const large = await fetchOverTls(port, '/v1/partner/meta', { 'X-Large': 'x'.repeat(40_000) })
  for (const { status, text } of [huge, large]) {
    expect([status, JSON.parse(text).error.code]).toEqual([400, 'BAD_REQUEST'])
  }
  const many = await Promise.all(Array.from({ length: 250 }, () => fetchOverTls(port, '/v1/partner/meta')))
  const limited = many.find(({ status }) => status === 429)
  expect(limited?.headers).toMatchObject({ 'content-type': 'application/json', 'retry-after': '1' })
  expect(JSON.parse(limited?.text ?? '')).toMatchObject({
    error: { code: 'RATE_LIMITED', details: { retry_after_seconds: 1 } },
  })
})
