/** Two companies' requests share two connections, while connections break, statements fail and callers hang up. */
import { request } from 'node:http'
import { Client } from 'pg'
import { PipelinedBatch } from '../../db/postgres/pipelined-batch'
import { namesOf } from '../isolation/tenants'
import { Service, send, unusedStatement } from '../support/service'

jest.setTimeout(120_000)

const REQUESTS = 10_000

const AT_ONCE = 24

/** Numbers that look random, the same in each run. */
function dice(): (sides: number) => number {
  let state = 20_260_101
  return sides => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

let service: Service
let keys: [string, string]
/** What each company reads at each path, when all is well. */
let answers: [Map<string, string>, Map<string, string>]

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
  service = await Service.start({ connections: 2, statementTimeoutMs: 5_000, now: () => 0 })
  const { make } = service
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
    const told = new Map<string, string>()
    for (const path of PATHS) told.set(path, (await send(service.url + path, { key })).text)
    return told
  }
  answers = [await read(keys[0]), await read(keys[1])]
})
afterAll(() => service.stop())

type Query = (this: Client, ...args: unknown[]) => Promise<unknown>

/** Brings faults into what is sent on connections that were handed out; returns how often, by kind, and how to stop. */
function makeTrouble(roll: (sides: number) => number) {
  const troubles = { statement: 0, socket: 0, terminated: 0, cancelled: 0, swallowed: 0 }
  const query = Client.prototype.query as unknown as Query
  const kill = (fn: string, client: Client) =>
    void service.owner
      .query(`SELECT ${fn}($1)`, [(client as unknown as { processID: number }).processID])
      .catch(() => {})
  const spy = jest.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...args: unknown[]) {
    const [flight] = args
    const trouble = flight instanceof PipelinedBatch ? roll(200) : -1
    const { statements } = flight as PipelinedBatch
    if (trouble === 0) {
      troubles.statement++
      statements.splice(roll(statements.length), 0, unusedStatement('broken', 'SELECT 1 / 0'))
    } else if (trouble === 1) {
      troubles.socket++
      setImmediate(() =>
        (this as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy(),
      )
    } else if (trouble === 2) {
      troubles.terminated++
      kill('pg_terminate_backend', this)
    } else if (trouble === 3) {
      troubles.cancelled++
      kill('pg_cancel_backend', this)
    } else if (trouble === 4) {
      // The transaction stays open, with its key.
      troubles.swallowed++
      statements.unshift(unusedStatement('extra', 'BEGIN'))
    }
    return query.apply(this, args)
  } as unknown as typeof Client.prototype.query)
  return { troubles, stop: () => spy.mockRestore() }
}

/** Asks and hangs up before the answer is there. */
const hangUp = (path: string, key: string) =>
  new Promise<void>(resolve => {
    const asking = request(service.url + path, { headers: { 'X-API-Key': key } })
    asking.on('error', () => resolve())
    asking.on('response', response =>
      response
        .resume()
        .on('close', resolve)
        .on('error', () => {}),
    )
    asking.end(() => setImmediate(() => asking.destroy()))
  })

test(`of ${REQUESTS} requests none gets what belongs to the other company, whatever happens to connections`, async () => {
  const roll = dice()
  const { troubles, stop } = makeTrouble(roll)
  const statuses = new Map<number, number>()
  const wrong: string[] = []
  let asked = 0
  const one = async () => {
    while (asked < REQUESTS) {
      asked++
      const who = roll(2) as 0 | 1
      const path = PATHS[roll(PATHS.length)] as string
      if (roll(100) === 0) {
        await hangUp(path, keys[who])
        continue
      }
      const { status, text } = await send(service.url + path, { key: keys[who] })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      const good = answers[who].get(path)
      // A fault may keep an answer back; it may neither change nor exchange it.
      if (text !== good && ![500, 503, 504].includes(status)) wrong.push(`${status} ${path} ${text}`)
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, one))
  } finally {
    stop()
  }
  expect(wrong).toEqual([])
  for (const count of Object.values(troubles)) expect(count).toBeGreaterThan(5)
  expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 2)

  for (const path of PATHS) {
    for (const who of [0, 1] as const) {
      expect((await send(service.url + path, { key: keys[who] })).text).toBe(answers[who].get(path))
    }
  }
})
