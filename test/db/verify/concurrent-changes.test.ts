/**
 * After transactions that overlapped, waited for each other, were rolled back or killed, stored totals equal a recomputation, and a
 * client that followed the feed meanwhile has an exact copy.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolClient } from 'pg'
import { Factory, type Made, type MadeAsset, type MadeSensor } from '../../support/factories'
import { rounds } from '../../support/rounds'
import { World } from '../../support/world'
import { dayOf } from '../../world/calendar'
import { Follower } from '../../world/follower'
import type { History } from '../../world/history'
import { Random } from '../../world/random'
import { assetDay } from '../../world/state'

const ROUNDS = rounds(3, 200)

const WRITERS = 4

/** Transactions of each writer in a round. */
const COMMITS = 4

jest.setTimeout(rounds(60_000, 900_000))

const DATES = ['2025-12-31', '2026-01-01', '2026-01-15', '2026-01-31', '2026-02-01']

const CITIES = ['Berlin', 'Köln', null]

const DEADLOCK = '40P01'

type Counter = MadeSensor & { asset: MadeAsset }

let world: World
let follower: Follower
/** Counters that all writers change. */
let shared: Counter[]
let writers: Writer[]

const makeCounter = async (make: Factory, attributes: Record<string, unknown>): Promise<Counter> => {
  const asset = await make.asset(attributes)
  return { ...(await make.sensor({ asset, grain: 'day' })), asset }
}

beforeAll(async () => {
  world = await World.open()
  const key = await world.make.together(async make => {
    const companies: Made[] = []
    for (let i = 0; i <= WRITERS; i++) companies.push(await make.company())
    shared = []
    for (const i of [0, 1, 2, 3])
      shared.push(await makeCounter(make, { company: companies[WRITERS], city: CITIES[i % 3] }))
    writers = []
    for (const [i, company] of companies.slice(0, WRITERS).entries()) {
      writers.push(
        new Writer([await makeCounter(make, { company }), await makeCounter(make, { company })], new Random(i)),
      )
    }
    return make.key(companies)
  })
  const days = shared.flatMap(({ asset }) => DATES.map(date => [assetDay(asset.id, dayOf(date)), new Map()] as const))
  const facts = { origins: new Map(), demographics: new Map(days) }
  follower = new Follower({ world, keys: { both: key }, state: { facts } } as unknown as History, 'both')
})
afterAll(() => world.stop())

/** Writers that keep their transactions open until another one is committed. At least one writer goes on. */
class OpenTransactions {
  private readonly waiting: (() => void)[] = []
  private writing = WRITERS

  async wait(): Promise<void> {
    if (this.waiting.length + 1 < this.writing) await new Promise<void>(resolve => this.waiting.push(resolve))
  }

  committed(): void {
    for (const resolve of this.waiting.splice(0)) resolve()
  }

  ended(): void {
    this.writing--
    this.committed()
  }
}

const ended = { COMMIT: 0, ROLLBACK: 0, kill: 0, deadlock: 0 }

class Writer {
  constructor(
    /** Counters that it alone changes. */
    private readonly counters: readonly Counter[],
    private readonly random: Random,
  ) {}

  async write(open: OpenTransactions): Promise<void> {
    for (let committed = 0; committed < COMMITS; ) {
      const end = await this.transact(open)
      ended[end]++
      if (end !== 'COMMIT') continue
      committed++
      open.committed()
    }
    open.ended()
  }

  private async transact(open: OpenTransactions): Promise<keyof typeof ended> {
    const { random } = this
    const end = random.weighted({ COMMIT: 6, ROLLBACK: 2, kill: 1 })
    const client = await world.owner.connect()
    const make = new Factory(world.owner, 'dev', client)
    try {
      await client.query('BEGIN')
      if (random.chance(0.5)) await this.changeShared(client, make)
      else {
        for (const counter of random.sample(this.counters, 2)) {
          if (random.chance(0.2)) await setCity(client, counter.asset, random)
          else await setCount(client, make, counter, random)
        }
        if (random.chance(0.5)) await open.wait()
      }
      if (end !== 'kill') await client.query(end)
      return end
    } catch (error) {
      if ((error as { code?: string }).code !== DEADLOCK) throw error
      if (end !== 'kill') await client.query('ROLLBACK')
      return 'deadlock'
    } finally {
      const { processID } = client as unknown as { processID: number }
      if (end === 'kill') await world.owner.query('SELECT pg_terminate_backend($1)', [processID])
      // To prepare the statements of the triggers again takes longer than a transaction.
      client.release(end === 'kill')
    }
  }

  /** Changes counters that others change, too: in the order of the assets, and locked as an import does. */
  private async changeShared(client: PoolClient, make: Factory): Promise<void> {
    const { random } = this
    for (const counter of random.sample(shared, 2).sort((a, b) => a.asset.number - b.asset.number)) {
      const { asset } = counter
      const date = random.pick(DATES)
      const kind = random.weighted({ count: 3, demographics: 1, erase: 1, city: 1, move: 1 })
      // Two that write one key would fail.
      if (kind !== 'city') await client.query('SELECT pg_advisory_xact_lock($1, 0)', [asset.number])
      if (kind === 'count') await setCount(client, make, counter, random)
      else if (kind === 'city') await setCity(client, asset, random)
      else if (kind === 'erase') {
        await client.query('DELETE FROM sensor_days WHERE asset = $1 AND date <= $2', [asset.number, date])
      } else if (kind === 'demographics') {
        await client.query('DELETE FROM demographic_days WHERE (asset, date) = ($1, $2)', [asset.number, date])
        await make.demographics(asset, date, { '25-34 male': random.below(500), '65+ female': 7 })
      } else {
        await client.query(
          `UPDATE sensor_days SET date = $2 WHERE asset = $1 AND date = $3 AND NOT EXISTS (
            SELECT FROM sensor_days d WHERE (d.asset, d.sensor, d.date) = ($1, sensor_days.sensor, $2))`,
          [asset.number, random.pick(DATES), date],
        )
      }
    }
  }
}

const setCity = (client: PoolClient, { number }: MadeAsset, random: Random) =>
  client.query('UPDATE assets SET city = $2 WHERE number = $1', [number, random.pick(CITIES)])

async function setCount(client: PoolClient, make: Factory, counter: Counter, random: Random): Promise<void> {
  const date = random.pick(DATES)
  await client.query('DELETE FROM sensor_days WHERE (asset, date) = ($1, $2)', [counter.asset.number, date])
  if (random.chance(0.9)) await make.counts(counter, date, () => random.below(1_000))
}

test.each([
  ['in the order of their changes', '2026-01-02', [0, 1], 'COMMIT', 'READ COMMITTED', undefined],
  ['in the other order', '2026-01-03', [1, 0], 'COMMIT', 'READ COMMITTED', undefined],
  ['unless the first one is rolled back', '2026-01-04', [0, 1], 'ROLLBACK', 'READ COMMITTED', undefined],
  ['but is refused with an older snapshot', '2026-01-05', [0, 1], 'COMMIT', 'REPEATABLE READ', '40001'],
] as const)('a commit waits for another one, %s', async (_, date, [first, second], end, isolation, refused) => {
  const clients = [await world.owner.connect(), await world.owner.connect()] as const
  try {
    for (const [i, client] of clients.entries()) {
      await client.query(`BEGIN ISOLATION LEVEL ${isolation}`)
      await new Factory(world.owner, 'dev', client).counts(shared[i]!, date, () => i + 1)
    }
    await clients[first].query('SET CONSTRAINTS ALL IMMEDIATE')
    let state = 'waiting'
    const committed = clients[second]
      .query('COMMIT')
      .then(
        () => undefined,
        error => error.code,
      )
      .finally(() => (state = 'ended'))
    const waiting = `SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event_type = 'Lock'`
    const { processID } = clients[second] as unknown as { processID: number }
    while (state === 'waiting' && (await world.rows(waiting, [processID])).length === 0) await sleep(10)
    expect(state).toBe('waiting')
    await clients[first].query(end)
    expect(await committed).toBe(refused)
  } finally {
    for (const client of clients) client.release(true)
  }
  await follower.follow()
  await follower.compare(dayOf('2025-12-01'), dayOf('2026-02-28'))
  await world.verify()
})

test('totals are those of the counts, and a copy is exact, after concurrent transactions', async () => {
  let listed = 0
  for (let round = 0; round < ROUNDS; round++) {
    const open = new OpenTransactions()
    let isWriting = true
    const written = Promise.all(writers.map(writer => writer.write(open))).finally(() => {
      isWriting = false
    })
    const follow = async () => {
      await follower.follow()
      listed += follower.listed.length
    }
    while (isWriting) await follow()
    await written
    await follow()
    await follower.compare(dayOf('2025-12-01'), dayOf('2026-02-28'))
    await world.verify()
  }
  expect(listed).toBeGreaterThan(50)
  expect(ended.COMMIT).toBeGreaterThan(ended.deadlock)
  expect(ended.ROLLBACK * ended.kill).toBeGreaterThan(0)
})
