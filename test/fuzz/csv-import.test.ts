import fc from 'fast-check'
import { anyCsvBytes, csvText, lineEnding } from '../support/csv-bytes'
import { anyText, testProperty } from '../support/fuzz'
import { World } from '../support/world'

let world: World
beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())

const company = fc.tuple(fc.oneof(fc.stringMatching(/^[a-z][a-z0-9]{7,10}$/), anyText), anyText)

const companies = fc
  .tuple(fc.array(company, { maxLength: 8 }), lineEnding)
  .map(([rows, ending]) => Buffer.from(csvText([['id', 'name'], ...rows.map(row => [...row])], ending)))

testProperty(
  'CSV file',
  'a file is stored as its figures say, or not at all',
  fc.tuple(fc.oneof({ weight: 1, arbitrary: anyCsvBytes }, { weight: 3, arbitrary: companies }), fc.boolean()),
  async ([bytes, skipFaulty]) => {
    await world.clear()
    const { read, stored, rejected, errors } = await world.import('companies', bytes, { skipFaulty })
    const [{ count }] = (await world.rows('SELECT count(*)::int FROM companies')) as [{ count: number }]
    expect(count).toBe(stored)
    if (rejected > 0 && !skipFaulty) expect(stored).toBe(0)
    expect(stored + rejected <= read || errors.length > rejected).toBe(true)
  },
)
