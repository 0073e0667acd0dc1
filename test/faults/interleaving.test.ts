/** Requests of two companies share two database connections, while connections break, statements fail and clients disconnect. */
import { request } from 'node:http'
import { Client } from 'pg'
import { Batch } from '../../db/postgres/batch'
import { namesOf } from '../isolation/tenants'
import { send } from '../support/http'
import { rounds } from '../support/rounds'
import { unusedStatement } from '../support/traffic'
import { World } from '../support/world'
import { Random } from '../world/random'

jest.setTimeout(rounds(180_000, 1_200_000))

const REQUESTS = rounds(2_500, 100_000)

const CONCURRENCY = 24

let world: World
let keys: [string, string]
/** The undisturbed response of each company by path. */
let expected: [Map<string, string>, Map<string, string>]

const PATHS = [
  '/v1/partner/meta',
  '/v1/partner/assets?limit=1',
  '/v1/partner/sensors',
  '/v1/metrics/assets',
  ...(['Alder', 'Birch'] as const).flatMap(name => [
    `/v1/partner/assets/${namesOf(name).assets[0]}`,
    `/v1/partner/assets/${namesOf(name).assets[0]}/impressions/daily?from_date=2026-01-01&to_date=2026-01-02`,
    `/v1/metrics/assets/${namesOf(name).legacyId}?start=2026-01-01&end=2026-01-02`,
  ]),
]

beforeAll(async () => {
  world = await World.open({ connections: 2, statementTimeoutMs: 5_000, now: () => 0 })
  const { make } = world
  const made: string[] = []
  for (const [name, count] of [
    ['Alder', 1],
    ['Birch', 2],
  ] as const) {
    const names = namesOf(name)
    const company = await make.company(name, { id: names.company })
    for (const [i, id] of names.assets.entries()) {
      const asset = await make.asset({ company, id, name: `${name} ${i}`, legacy_id: names.legacyId + 10 * i })
      await make.counts(await make.sensor({ asset, id: names.sensors[i] }), '2026-01-01', () => count)
    }
    made.push(await make.key([company]))
  }
  keys = made as [string, string]
  const read = async (key: string) => {
    const bodies = new Map<string, string>()
    for (const path of PATHS) bodies.set(path, (await send(world.url + path, { key })).text)
    return bodies
  }
  expected = [await read(keys[0]), await read(keys[1])]
})
afterAll(() => world.stop())

type Query = (this: Client, ...args: unknown[]) => Promise<unknown>

/** Injects errors into batches. @returns how many of each kind so far, and a function that stops it */
function injectErrors(random: Random) {
  const injected = { statement: 0, socket: 0, terminated: 0, cancelled: 0, transaction: 0 }
  const query = Client.prototype.query as unknown as Query
  const signal = (fn: string, client: Client) =>
    void world.owner.query(`SELECT ${fn}($1)`, [(client as unknown as { processID: number }).processID]).catch(() => {})
  const spy = jest.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...args: unknown[]) {
    const [batch] = args
    const kind = batch instanceof Batch ? random.below(100) : -1
    const { statements } = batch as Batch
    if (kind === 0) {
      injected.statement++
      statements.splice(random.below(statements.length), 0, unusedStatement('broken', 'SELECT 1 / 0'))
    } else if (kind === 1) {
      injected.socket++
      setImmediate(() =>
        (this as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy(),
      )
    } else if (kind === 2) {
      injected.terminated++
      signal('pg_terminate_backend', this)
    } else if (kind === 3) {
      injected.cancelled++
      signal('pg_cancel_backend', this)
    } else if (kind === 4) {
      // The transaction stays open, with the key of its request.
      injected.transaction++
      statements.unshift(unusedStatement('extra', 'BEGIN'))
    }
    return query.apply(this, args)
  } as unknown as typeof Client.prototype.query)
  return { injected, stop: () => spy.mockRestore() }
}

/** Sends a request and disconnects before the response. */
const disconnect = (path: string, key: string) =>
  new Promise<void>(resolve => {
    const outgoing = request(world.url + path, { headers: { 'X-API-Key': key } })
    outgoing.on('error', () => resolve())
    outgoing.on('response', response =>
      response
        .resume()
        .on('close', resolve)
        .on('error', () => {}),
    )
    outgoing.end(() => setImmediate(() => outgoing.destroy()))
  })

test(`none of ${REQUESTS} requests gets data of the other company`, async () => {
  const random = new Random(1)
  const { injected, stop } = injectErrors(random)
  const statuses = new Map<number, number>()
  const wrong: string[] = []
  let sent = 0
  const client = async () => {
    while (sent < REQUESTS) {
      sent++
      const company = random.below(2) as 0 | 1
      const path = PATHS[random.below(PATHS.length)] as string
      if (random.below(100) === 0) {
        await disconnect(path, keys[company])
        continue
      }
      const { status, text } = await send(world.url + path, { key: keys[company] })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      // An error may replace a response, but never change or swap it.
      if (text !== expected[company].get(path) && ![500, 503, 504].includes(status))
        wrong.push(`${status} ${path} ${text}`)
    }
  }
  try {
    await Promise.all(Array.from({ length: CONCURRENCY }, client))
  } finally {
    stop()
  }
  expect(wrong).toEqual([])
  for (const count of Object.values(injected)) expect(count).toBeGreaterThan(5)
  expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 2)

  for (const path of PATHS) {
    for (const company of [0, 1] as const) {
      expect((await send(world.url + path, { key: keys[company] })).text).toBe(expected[company].get(path))
    }
  }
})
