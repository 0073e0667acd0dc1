/** Attacks on one service. */
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPool } from '../../db/postgres/pool'
import { Command } from '../support/command'
import { createDatabase, settingsOf, type TestDatabase } from '../support/databases'
import { Factory } from '../support/factories'
import { send } from '../support/http'
import { rounds } from '../support/rounds'
import { type AttackName, runAttack, type Statuses } from './attacks'

jest.setTimeout(120_000)

const META = '/v1/partner/meta'

const ATTACK_MS = rounds(3_000, 30_000)

const HERE = '127.0.0.1'
/** On Linux the whole of 127/8 is the loopback device. */
const ELSEWHERE = process.platform === 'linux' ? '127.0.0.2' : HERE
const THIRD = process.platform === 'linux' ? '127.0.0.3' : HERE

let database: TestDatabase
let partnerKey: string
let attackerKey: string
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
  const sensor = await make.sensor({ asset })
  await make.counts(sensor, '2026-01-01', interval => interval % 50)
  partnerKey = await make.key([company])
  attackerKey = await make.key([company], { scopes: ['internal:graphql:read'] })
  minutes = `/v1/partner/assets/${asset.id}/impressions/timeseries?grain=minute&from_date=2026-01-01&to_date=2026-01-01`
  await owner.end()
  const env = { ...settingsOf(database), RATE_LIMIT: '1000000000', LOG_LEVEL: 'error' }
  service = new Command(['serve'], env)
  url = await service.url()
})
afterAll(() => database?.drop())

/** Attacks the service. Meanwhile health checks must succeed, and a partner must get its responses or a proper 503. */
async function attack(name: AttackName, localAddress = ELSEWHERE): Promise<Statuses> {
  const attacked = runAttack(name, { url, key: attackerKey, path: minutes, localAddress }, ATTACK_MS)
  let isOver = false
  const statuses = attacked.finally(() => (isOver = true))
  let responses = 0
  while (!isOver) {
    expect((await send(`${url}/healthz`)).status).toBe(200)
    const { status, headers } = await send(url + META, { key: partnerKey })
    if (status !== 200) expect([status, headers['retry-after']]).toEqual([503, '1'])
    else responses++
    await sleep(25)
  }
  expect(responses).toBeGreaterThan(0)
  return statuses
}

/** Afterwards every request succeeds again. */
async function expectRecovery(): Promise<void> {
  for (let succeeded = 0; succeeded < 20; ) {
    const { status } = await send(url + META, { key: partnerKey })
    succeeded = status === 200 ? succeeded + 1 : 0
  }
}

const unexpected = (statuses: Statuses, expected: string[]): string[] =>
  Object.keys(statuses).filter(status => !expected.includes(status))

test('500 connections that send their requests byte by byte do not block others', async () => {
  expect(unexpected(await attack('slow requests'), ['open', 'closed'])).toEqual([])
  await expectRecovery()
})

test('connections on which no complete head arrives are closed', async () => {
  const { port, hostname } = new URL(url)
  const open = (text: string): Socket => {
    const socket = connect(Number(port), hostname, () => socket.write(text))
    return socket.on('error', () => {}).resume()
  }
  const sockets = Array.from({ length: 50 }, (_, i) => open(i % 2 ? '' : 'GET / HTTP/1.1\r\nX-A: '))
  await Promise.all(sockets.map(socket => new Promise(resolve => socket.once('close', resolve))))
  await expectRecovery()
})

test('280 connections from two addresses on which nothing is read do not block others', async () => {
  const { port, hostname } = new URL(url)
  const { text } = await send(`${url}/docs`)
  const [, script] = /src="(\/docs\/main-[^"]+)"/.exec(text) ?? []
  const sockets = Array.from({ length: 280 }, (_, i) => {
    const socket = connect({ port: Number(port), host: hostname, localAddress: i % 2 ? ELSEWHERE : THIRD })
    socket.on('error', () => {}).pause()
    socket.write(`GET ${script} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(4))
    return socket
  })
  // The first bytes of a response have come on each connection.
  await Promise.all(sockets.map(socket => new Promise(resolve => socket.once('readable', resolve))))
  for (let i = 0; i < 20; i++) expect((await send(url + META, { key: partnerKey })).status).toBe(200)
  for (const socket of sockets) socket.destroy()
  await expectRecovery()
})

test.each([
  ['another address', ELSEWHERE],
  ['the address of a partner', HERE],
])('requests on 900 connections from %s are answered or refused', async (_, address) => {
  const statuses = await attack('requests', address)
  expect(unexpected(statuses, ['200', '503', 'closed'])).toEqual([])
  expect(statuses[200]).toBeGreaterThan(0)
  await expectRecovery()
})

test('heads and URLs that are far too long are refused', async () => {
  const statuses = await attack('large heads')
  expect(unexpected(statuses, ['414', '431'])).toEqual([])
  expect(statuses[414]).toBeGreaterThan(0)
  expect(statuses[431]).toBeGreaterThan(0)
  await expectRecovery()
})

test('of thousands of requests at once on a connection some are answered, and the others refused', async () => {
  const statuses = await attack('pipelining')
  expect(unexpected(statuses, ['200', '503'])).toEqual([])
  expect(statuses[200]).toBeGreaterThan(0)
  expect(statuses[503]).toBeGreaterThan(0)
  await expectRecovery()
})

test('expensive GraphQL queries are answered or refused', async () => {
  const statuses = await attack('queries')
  // The connection of a body that is too large may close while it is sent.
  expect(unexpected(statuses, ['200', '400', '413', '503', 'closed'])).toEqual([])
  expect(statuses[400]).toBeGreaterThan(0)
  await expectRecovery()
})

test('after all attacks the service stops without an error, and has logged no internal one', async () => {
  const { code, stderr } = await service.end('SIGTERM')
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('internal error')])
})
