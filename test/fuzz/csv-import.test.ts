import fc from 'fast-check'
import { anyCsvBytes, csvText, lineEnding } from '../support/csv-bytes'
import { anyText, testProperty } from '../support/fuzz'
import { Imports } from '../support/importing'

let imports: Imports
beforeAll(async () => {
  imports = await Imports.open()
})
afterAll(() => imports.close())

const company = fc.tuple(fc.oneof(fc.stringMatching(/^[a-z][a-z0-9]{7,10}$/), anyText), anyText)

const companies = fc
  .tuple(fc.array(company, { maxLength: 8 }), lineEnding)
  .map(([rows, ending]) => Buffer.from(csvText([['id', 'name'], ...rows.map(row => [...row])], ending)))

testProperty(
  'CSV file',
  'a file is stored as its figures say, or not at all',
  fc.tuple(fc.oneof({ weight: 1, arbitrary: anyCsvBytes }, { weight: 3, arbitrary: companies }), fc.boolean()),
  async ([bytes, skipFaulty]) => {
    await imports.clear()
    const { read, stored, rejected, errors } = await imports.run('companies', bytes, { skipFaulty })
    const [{ count }] = (await imports.rows('SELECT count(*)::int FROM companies')) as [{ count: number }]
    expect(count).toBe(stored)
    if (rejected > 0 && !skipFaulty) expect(stored).toBe(0)
    expect(stored + rejected <= read || errors.length > rejected).toBe(true)
  },
)
