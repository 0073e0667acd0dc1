/** A client that follows the feed beside writers whose transactions overlap has an exact copy in the end. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Factory, type Made, type MadeAsset, type MadeSensor } from '../../support/factories'
import { rounds } from '../../support/rounds'
import { World } from '../../support/world'

const DURATION_MS = rounds(2_000, 300_000)

jest.setTimeout(DURATION_MS + 60_000)

const WRITERS = 4

/** On a busy machine, writers go on until each of them has committed so many. */
const MIN_TRANSACTIONS = 20

const RANGE = ['2026-01-01', '2026-02-28'] as const

const DATES = ['2026-01-01', '2026-01-15', '2026-01-31', '2026-02-01', '2026-02-28']

type Counter = MadeSensor & { asset: MadeAsset }

let world: World
let key: string
let companies: Made[]

beforeAll(async () => {
  world = await World.open({ connections: 4 })
  companies = await Promise.all(Array.from({ length: WRITERS }, () => world.make.company()))
  key = await world.make.key(companies)
})
afterAll(() => world.stop())

const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)] as Item

/** Changes the data of a company in transactions, some of which stay open for a while or are rolled back. */
async function write(company: Made, until: number): Promise<number> {
  const counters: Counter[] = []
  let committed = 0
  let deletedIds: string[] = []
  while (Date.now() < until || committed < MIN_TRANSACTIONS) {
    const client = await world.owner.connect()
    const make = new Factory(world.owner, 'dev', client)
    const end = Math.random() < 0.8 ? 'COMMIT' : 'ROLLBACK'
    const created: Counter[] = []
    const deleted: Counter[] = []
    const unused = [...deletedIds]
    await client.query('BEGIN')
    for (let steps = 0; steps < 3; steps++) {
      const counter = counters.length > 0 ? pick(counters) : undefined
      const kind = Math.random()
      if (!counter || (kind < 0.15 && counters.length < 8)) {
        // With an id that was deleted before, in this transaction or an earlier one.
        const id = unused.pop()
        const asset = await make.asset({ company, ...(id !== undefined && { id }) })
        created.push({ ...(await make.sensor({ asset, grain: 'day' })), asset })
      } else if (deleted.includes(counter)) continue
      else if (kind < 0.2) {
        const { number } = counter.asset
        await client.query('DELETE FROM sensor_days WHERE asset = $1', [number])
        await client.query('DELETE FROM installations WHERE asset = $1', [number])
        await client.query('UPDATE sensors SET asset = NULL, company = NULL WHERE asset = $1', [number])
        await client.query('DELETE FROM assets WHERE number = $1', [number])
        deleted.push(counter)
        unused.push(counter.asset.id)
      } else if (kind < 0.3) {
        await client.query('UPDATE assets SET city = $2 WHERE number = $1', [
          counter.asset.number,
          pick(['Berlin', 'Köln']),
        ])
      } else {
        const date = pick(DATES)
        await client.query('DELETE FROM sensor_days WHERE (asset, date) = ($1, $2)', [counter.asset.number, date])
        if (kind < 0.85) await make.counts(counter, date, () => Math.floor(Math.random() * 1_000))
      }
    }
    if (Math.random() < 0.3) await sleep(Math.random() * 200)
    await client.query(end)
    client.release()
    if (end === 'ROLLBACK') continue
    committed++
    deletedIds = unused
    counters.push(...created)
    for (const counter of deleted) counters.splice(counters.indexOf(counter), 1)
  }
  return committed
}

/** Impressions by asset and date, and cities of assets. */
interface Copy {
  days: Map<string, Map<string, number | null>>
  cities: Map<string, string | null>
}

interface Change {
  asset_id: string
  kind: string
  from_date: string
  to_date: string
}

async function apply({ asset_id, kind, from_date, to_date }: Change, { days, cities }: Copy): Promise<void> {
  if (kind === 'removed') {
    days.delete(asset_id)
    cities.delete(asset_id)
    return
  }
  const get = (path: string) => world.get(path, { key })
  if (kind === 'asset') {
    const { status, body } = await get(`/v1/partner/assets/${asset_id}`)
    if (status === 200) cities.set(asset_id, body.city)
  } else if (kind === 'impressions') {
    const range = `from_date=${from_date}&to_date=${to_date}`
    const { status, body } = await get(`/v1/partner/assets/${asset_id}/impressions/daily?${range}`)
    if (status !== 200) return
    const copied = days.get(asset_id) ?? new Map()
    for (const { date, impressions } of body.data) copied.set(date, impressions)
    days.set(asset_id, copied)
  }
}

test('a follower beside overlapping transactions has an exact copy', async () => {
  const copy: Copy = { days: new Map(), cities: new Map() }
  const until = Date.now() + DURATION_MS
  let isWriting = true
  const writers = Promise.all(companies.map(company => write(company, until))).finally(() => {
    isWriting = false
  })
  let cursor = ''
  let applied = 0
  const pass = async () => {
    for (;;) {
      const query = `limit=20${cursor && `&cursor=${cursor}`}`
      const { data, pagination } = await world.read(`/v1/partner/changes?${query}`, key)
      for (const change of data) await apply(change, copy)
      applied += data.length
      cursor = pagination.cursor
      if (!pagination.has_more) return
    }
  }
  while (isWriting) await pass()
  const committed = await writers
  await pass()

  const { data: assets } = await world.read('/v1/partner/assets?limit=500', key)
  expect(Object.fromEntries(copy.cities)).toEqual(
    Object.fromEntries(assets.map(({ id, city }: { id: string; city: string | null }) => [id, city])),
  )
  for (const { id } of assets) {
    const path = `/v1/partner/assets/${id}/impressions/daily?from_date=${RANGE[0]}&to_date=${RANGE[1]}`
    const { data } = await world.read(path, key)
    const expected = data.filter(({ impressions }: { impressions: number | null }) => impressions !== null)
    const copied = [...(copy.days.get(id) ?? [])].filter(([, impressions]) => impressions !== null).sort()
    expect([id, copied]).toEqual([
      id,
      expected.map((row: { date: string; impressions: number }) => [row.date, row.impressions]),
    ])
  }
  expect(committed.every(transactions => transactions >= MIN_TRANSACTIONS)).toBe(true)
  expect(applied).toBeGreaterThan(50)
})
