/** A client that follows the feed beside writers whose transactions overlap has an exact copy in the end. */
import { Factory, type Made, type MadeAsset, type MadeSensor } from '../../support/factories'
import { rounds } from '../../support/rounds'
import { World } from '../../support/world'
import { Random } from '../../world/random'

const WRITERS = 4

/** Of each writer. */
const TRANSACTIONS = rounds(15, 1_000)

jest.setTimeout(rounds(60_000, 600_000))

const RANGE = 'from_date=2026-01-01&to_date=2026-02-28'

const DATES = ['2026-01-01', '2026-01-15', '2026-01-31', '2026-02-01', '2026-02-28']

type Counter = MadeSensor & { asset: MadeAsset }

let world: World
let key: string
let companies: Made[]

beforeAll(async () => {
  world = await World.open({ connections: 4 })
  await world.make.together(async make => {
    companies = []
    for (let i = 0; i < WRITERS; i++) companies.push(await make.company())
    key = await make.key(companies)
    // Stores the rules of the time zone.
    await make.asset()
  })
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

/** Changes the data of a company in transactions, some of which stay open for a while or are rolled back. */
async function write(company: Made, random: Random, open: OpenTransactions): Promise<void> {
  const counters: Counter[] = []
  let deletedIds: string[] = []
  for (let committed = 0; committed < TRANSACTIONS; ) {
    const client = await world.owner.connect()
    const make = new Factory(world.owner, 'dev', client)
    const isKept = random.chance(0.8)
    const created: Counter[] = []
    const deleted: Counter[] = []
    const unused = [...deletedIds]
    await client.query('BEGIN')
    for (let steps = 0; steps < 3; steps++) {
      const counter = counters.length > 0 ? random.pick(counters) : undefined
      const kind = random.next()
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
        const city = random.pick(['Berlin', 'Köln'])
        await client.query('UPDATE assets SET city = $2 WHERE number = $1', [counter.asset.number, city])
      } else {
        const date = random.pick(DATES)
        await client.query('DELETE FROM sensor_days WHERE (asset, date) = ($1, $2)', [counter.asset.number, date])
        if (kind < 0.85) await make.counts(counter, date, () => random.below(1_000))
      }
    }
    if (random.chance(0.3)) await open.wait()
    await client.query(isKept ? 'COMMIT' : 'ROLLBACK')
    client.release()
    if (!isKept) continue
    committed++
    open.committed()
    deletedIds = unused
    counters.push(...created)
    for (const counter of deleted) counters.splice(counters.indexOf(counter), 1)
  }
  open.ended()
}

/** Impressions by asset and date, and cities of assets. */
interface Copy {
  days: Map<string, Map<string, number | null>>
  cities: Map<string, string | null>
}

async function apply(change: Record<string, string>, { days, cities }: Copy): Promise<void> {
  const { asset_id: id, kind, from_date, to_date } = change as Record<'asset_id', string> & typeof change
  if (kind === 'removed') {
    days.delete(id)
    cities.delete(id)
  } else if (kind === 'asset') {
    const { status, body } = await world.get(`/v1/partner/assets/${id}`, { key })
    if (status === 200) cities.set(id, body.city)
  } else if (kind === 'impressions') {
    const path = `/v1/partner/assets/${id}/impressions/daily?from_date=${from_date}&to_date=${to_date}`
    const { status, body } = await world.get(path, { key })
    if (status !== 200) return
    const copied = days.get(id) ?? new Map()
    for (const { date, impressions } of body.data) copied.set(date, impressions)
    days.set(id, copied)
  }
}

test('a follower beside overlapping transactions has an exact copy', async () => {
  const copy: Copy = { days: new Map(), cities: new Map() }
  const open = new OpenTransactions()
  let isWriting = true
  const writers = Promise.all(companies.map((company, i) => write(company, new Random(i), open))).finally(() => {
    isWriting = false
  })
  let cursor = ''
  let applied = 0
  const pass = async () => {
    for (let hasMore = true; hasMore; ) {
      const { data, pagination } = await world.read(`/v1/partner/changes?limit=20${cursor && `&cursor=${cursor}`}`, key)
      for (const change of data) await apply(change, copy)
      applied += data.length
      cursor = pagination.cursor
      hasMore = pagination.has_more
    }
  }
  while (isWriting) await pass()
  await writers
  await pass()

  const { data: assets } = await world.read('/v1/partner/assets?limit=500', key)
  expect(Object.fromEntries(copy.cities)).toEqual(
    Object.fromEntries(assets.map(({ id, city }: { id: string; city: string | null }) => [id, city])),
  )
  for (const { id } of assets) {
    const { data } = await world.read(`/v1/partner/assets/${id}/impressions/daily?${RANGE}`, key)
    const expected = data.filter(({ impressions }: { impressions: number | null }) => impressions !== null)
    const copied = [...(copy.days.get(id) ?? [])].filter(([, impressions]) => impressions !== null).sort()
    expect([id, copied]).toEqual([
      id,
      expected.map((row: { date: string; impressions: number }) => [row.date, row.impressions]),
    ])
  }
  expect(applied).toBeGreaterThan(50)
})
