/** Demographics of networks after any sequence of changes, compared with the stored rows. */
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { deleteFacts } from '../../../db/operations/facts'
import { GROUP_COLUMNS } from '../../../db/queries/demographics'
import { verify } from '../../../db/verify/verify'
import { importFile } from '../../../imports/import-file'
import type { Made, MadeAsset } from '../../support/factories'
import { scaledRuns } from '../../support/fuzz'
import { World } from '../../support/world'

jest.setTimeout(120_000)

let world: World
let companies: Made[]
let keys: string[]

beforeAll(async () => {
  world = await World.open()
  companies = [await world.make.company(), await world.make.company()]
  keys = await Promise.all(companies.map(company => world.make.key([company])))
})
afterAll(() => world.stop())

const DATES = ['2026-01-30', '2026-01-31', '2026-02-01', '2026-02-28', '2026-03-01']
const CITIES = ['Berlin', 'Essen']

type Change =
  | { kind: 'import'; rows: { asset: number; date: string; ageBand: string; impressions: number | null }[] }
  | { kind: 'delete'; asset: number; from: string; to: string }
  | { kind: 'move'; assets: number[]; city: string }
  | { kind: 'remove'; asset: number }

const asset = fc.nat(3)
const date = fc.constantFrom(...DATES)
const row = fc.record({
  asset,
  date,
  ageBand: fc.constantFrom('12-17', '65+'),
  impressions: fc.option(fc.integer({ min: 0, max: 2_147_483_647 })),
})
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('import'), rows: fc.array(row, { minLength: 1, maxLength: 6 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete'), asset, from: date, to: date }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('move'), assets: fc.array(asset), city: fc.constantFrom(...CITIES) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove'), asset }) },
)

async function apply(change: Change, assets: MadeAsset[]): Promise<void> {
  const { owner } = world
  if (change.kind === 'import') {
    const rows = new Map(
      change.rows.map(row => [`${assets[row.asset]?.id},${row.date},male,${row.ageBand}`, row.impressions]),
    )
    const lines = [...rows].map(([group, impressions]) => `${group},${impressions ?? ''}`)
    const file = ['asset_id,date,gender,age_band,impressions', ...lines].join('\n')
    await importFile(owner, 'demographics', Readable.from([file]), {
      erase: true,
      skipFaulty: true,
      onRowError: () => {},
    })
  } else if (change.kind === 'delete') {
    const numbers = [assets[change.asset]?.number as number]
    const client = await owner.connect()
    await deleteFacts(client, { kind: 'demographics', by: 'asset', numbers, from: change.from, to: change.to })
    client.release()
  } else if (change.kind === 'move') {
    const numbers = change.assets.map(index => assets[index]?.number)
    await owner.query('UPDATE assets SET city = $1 WHERE number = ANY ($2)', [change.city, numbers])
  } else {
    const number = assets[change.asset]?.number
    await owner.query(
      `DELETE FROM demographic_days WHERE asset = ${number}; DELETE FROM assets WHERE number = ${number}`,
    )
  }
}

test('aggregates equal the sums of the stored rows after any changes, and verify finds no differences', async () => {
  const run = async (changes: Change[], dates: string[]) => {
    await world.owner.query('DELETE FROM demographic_days; DELETE FROM assets')
    const assets: MadeAsset[] = []
    await world.make.together(async make => {
      for (const index of [0, 1, 2, 3])
        assets.push(await make.asset({ company: companies[index >> 1] as Made, city: CITIES[index % 2] }))
    })
    for (const each of changes) await apply(each, assets)
    const differences: unknown[] = []
    await verify(world.owner, async difference => void differences.push(difference))
    expect(differences).toEqual([])
    const [from, to] = dates.sort() as [string, string]
    const ids = (await world.owner.query('SELECT id, company FROM assets ORDER BY id')).rows
    for (const [index, company] of companies.entries()) {
      const own = ids.filter(row => row.company === company.number).map(({ id }) => id)
      const filters = [['', 'true'], ...CITIES.map(city => [`&city=${city}`, `city = '${city}'`])]
      if (own.length > 0) filters.push([`&asset_ids=${own[0]}`, `id = '${own[0]}'`])
      for (const [parameters, condition] of filters) {
        const { rows } = await world.owner.query(
          `SELECT count(DISTINCT asset)::integer AS asset_count, coalesce(sum(${GROUP_COLUMNS.map(group => `coalesce(d.${group}, 0)::bigint`).join(' + ')}), 0)::bigint AS total
           FROM demographic_days d JOIN assets a ON a.number = d.asset
           WHERE a.company = ${company.number} AND date BETWEEN '${from}' AND '${to}' AND ${condition}`,
        )
        const path = `/v1/partner/demographics/aggregate?from_date=${from}&to_date=${to}${parameters}`
        expect(await world.read(path, keys[index] as string)).toMatchObject({
          ...rows[0],
          suppressed: rows[0].total < 50,
        })
      }
    }
  }
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), fc.tuple(date, date), run),
    scaledRuns(20),
  )
})
