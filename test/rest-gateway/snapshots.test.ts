/** Everything in one response comes from one state of the data, beside transactions that change all counts. */
import { World } from '../support/world'

const DATES = ['2026-01-15', '2026-01-31', '2026-02-01', '2026-03-31', '2026-04-02']

const ASSETS = 6

let world: World
let key: string
let isWriting = true
let writing: Promise<void>

beforeAll(async () => {
  world = await World.open()
  await world.make.together(async make => {
    const company = await make.company()
    for (let i = 0; i < ASSETS; i++) {
      const asset = await make.asset({ company, region: i % 2 ? 'DE-BE' : 'DE-HH', city: `City ${i}` })
      const sensor = await make.sensor({ asset, grain: 'day' })
      for (const date of DATES) await make.counts(sensor, date, () => 1)
    }
    key = await make.key([company])
  })
  // Each transaction gives all sensor-days the same number.
  const write = async () => {
    for (let n = 2; isWriting; n++) await world.owner.query('UPDATE sensor_days SET impressions = $1', [n])
  }
  writing = write()
})
afterAll(async () => {
  isWriting = false
  await writing
  await world.stop()
})

const sum = (rows: { impressions: number | null }[]): number =>
  rows.reduce((all, row) => all + (row.impressions ?? 0), 0)

const RANGE = 'from_date=2026-01-10&to_date=2026-04-10'

test.each([
  ...['day', 'quarter'].map(grain => `/v1/partner/impressions/aggregate?${RANGE}&grain=${grain}`),
  `/v1/partner/impressions/aggregate?${RANGE}&grain=month&group_by=city`,
  `/v1/partner/impressions/aggregate?${RANGE}&group_by=asset`,
  `/v1/partner/impressions?${RANGE}&grain=month`,
])('the rows of %s are of one state', async path => {
  for (let i = 0; i < 5; i++) {
    const { data } = await world.read(path, key)
    const rows = data[0].data ? data.flatMap((entry: { data: object[] }) => entry.data) : data
    expect(sum(rows) % (ASSETS * DATES.length)).toBe(0)
  }
})

test('the fields of a group in GraphQL are of one state', async () => {
  for (let i = 0; i < 15; i++) {
    const { assets } = await world.graphql(
      key,
      `{ assets { impressions(fromDate: "2026-01-10", toDate: "2026-04-10") { total top { impressions } } } }`,
    )
    const { total, top } = assets.impressions
    expect(sum(top)).toBe(total)
    expect(total % (ASSETS * DATES.length)).toBe(0)
  }
})
