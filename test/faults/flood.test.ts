/**
 * A flood of a built service, from another address than its partner's: large responses, slow clients, and more connections than it has room
 * for. The greatest inputs are those of test/fuzz.
 */
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPool } from '../../db/postgres/pool'
import { Command } from '../support/command'
import { createDatabase, settingsOf, type TestDatabase } from '../support/databases'
import { Factory } from '../support/factories'
import { send } from '../support/http'
import { rounds } from '../support/rounds'

jest.setTimeout(120_000)

const META = '/v1/partner/meta'

const FLOOD_MS = rounds(5_000, 60_000)

/** On Linux the whole of 127/8 is the loopback device. */
const ELSEWHERE = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1'

let database: TestDatabase
let partnerKey: string
let otherKey: string
/** A path with a large response. */
let minutes: string
let service: Command
let url: string

beforeAll(async () => {
  database = await createDatabase()
  const owner = openPool(database.ownerUrl)
  const make = new Factory(owner, 'production')
  const company = await make.company()
  const asset = await make.asset({ company })
  await make.counts(await make.sensor({ asset }), '2026-01-01', interval => interval % 50)
  partnerKey = await make.key([company])
  otherKey = await make.key([company], { scopes: ['internal:graphql:read'] })
  minutes = `/v1/partner/assets/${asset.id}/impressions/timeseries?grain=minute&from_date=2026-01-01&to_date=2026-01-01`
  await owner.end()
  service = new Command(['serve'], { ...settingsOf(database), RATE_LIMIT: '1000000000', LOG_LEVEL: 'error' })
  url = await service.url()
})
afterAll(() => database?.drop())

/** Returns the status of a response; `closed` where the connection ends without one, `timeout` where none comes. */
function fetchStatus(path: string, agent: Agent): Promise<number | string> {
  return new Promise(resolve => {
    const sent = request(new URL(path, url), { agent, localAddress: ELSEWHERE, headers: { 'X-API-Key': otherKey } })
    sent.setTimeout(30_000, () => {
      resolve('timeout')
      sent.destroy()
    })
    sent.on('error', () => resolve('closed'))
    sent.on('response', response => {
      response.on('error', () => resolve('closed'))
      response.on('end', () => resolve(response.statusCode as number)).resume()
    })
    sent.end()
  })
}

/**
 * Repeats requests of several clients for a while. Meanwhile health checks succeed, and a partner gets its responses or a proper 503;
 * afterwards it gets them again and again.
 *
 * @returns how often each status was received
 */
async function flood(clients: number, fetch: (client: number) => Promise<number | string>) {
  const statuses: Record<string, number> = {}
  const end = performance.now() + FLOOD_MS
  let running = clients
  const loops = Array.from({ length: clients }, async (_, client) => {
    while (performance.now() < end) {
      const status = await fetch(client)
      statuses[status] = (statuses[status] ?? 0) + 1
    }
    running--
  })
  let served = 0
  while (running > 0) {
    expect((await send(`${url}/healthz`)).status).toBe(200)
    const { status, headers } = await send(url + META, { key: partnerKey })
    if (status === 200) served++
    else expect([status, headers['retry-after']]).toEqual([503, '1'])
    await sleep(25)
  }
  await Promise.all(loops)
  expect(served).toBeGreaterThan(0)
  for (let succeeded = 0; succeeded < 20; ) {
    const { status } = await send(url + META, { key: partnerKey })
    succeeded = status === 200 ? succeeded + 1 : 0
  }
  return statuses
}

const open = (text: string): Socket => {
  const { port, hostname } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, localAddress: ELSEWHERE }, () => socket.write(text))
  return socket.on('error', () => {}).resume()
}

test('large responses on 900 connections, beside 100 whose requests come byte by byte, are sent or refused', async () => {
  const beginnings = [
    'GET /v1/partner/meta HTTP/1.1\r\nHost: x\r\nX-A: ',
    `POST /graphql HTTP/1.1\r\nHost: x\r\nX-API-Key: ${otherKey}\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n{`,
  ]
  const slow = Array.from({ length: 100 }, (_, i) => open(beginnings[i % 2] as string))
  const feeding = setInterval(() => slow.map(socket => socket.write('a')), 50)
  const agent = new Agent({ keepAlive: true })
  const statuses = await flood(900, () => fetchStatus(minutes, agent))
  clearInterval(feeding)
  for (const socket of [...slow, agent]) socket.destroy()
  expect(['200', '503', 'closed']).toEqual(expect.arrayContaining(Object.keys(statuses)))
  expect(statuses[200]).toBeGreaterThan(0)
})

test('connections on which no complete head arrives are closed, and the service stops without an error', async () => {
  const sockets = Array.from({ length: 50 }, (_, i) => open(i % 2 ? '' : 'GET / HTTP/1.1\r\nX-A: '))
  await Promise.all(sockets.map(socket => new Promise(resolve => socket.once('close', resolve))))
  const { code, stderr } = await service.end('SIGTERM')
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('internal error')])
})
