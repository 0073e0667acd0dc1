import { Imports, stored } from '../../support/importing'

describe('the columns of a file', () => {
  let imports: Imports
  beforeAll(async () => {
    imports = await Imports.open()
  })
  afterAll(() => imports.close())
  beforeEach(() => imports.clear())

  test('may be renamed, left out and set; one of theirs may stand for two of ours', async () => {
    const options = {
      map: [
        ['name', 'title'],
        ['id', 'code'],
      ] as const,
      ignore: ['since'],
      set: [
        ['own', 'false'],
        ['finest_grain', 'hour'],
      ] as const,
    }
    expect(await imports.run('vendors', ['since,title,code', '2020,Alpha,vendoralpha1'], options)).toEqual(stored(1))
    const twice = { map: [['id', 'name'] as const, ['name', 'name'] as const] }
    expect(await imports.run('companies', ['name', 'companyone'], twice)).toEqual(stored(1))
    expect(await imports.rows('SELECT id, name FROM companies')).toEqual([{ id: 'companyone', name: 'companyone' }])
    expect(await imports.rows('SELECT id, name, own, native_minutes FROM vendors')).toEqual([
      { id: 'vendoralpha1', name: 'Alpha', own: false, native_minutes: 60 },
    ])
  })

  test.each([
    [
      'an unknown column',
      'id,name,town',
      {},
      /has unknown columns: "town"\. The columns are id, name; rename one with --map/,
    ],
    ['another separator', 'id;name', {}, /has unknown columns: "id;name" \(values are separated by commas\)/],
    ['a column twice', 'id,name,name', {}, /has the column name more than once/],
    [
      'a renaming of nothing',
      'id,name',
      { map: [['name', 'title']] },
      /lacks the column title that --map or --ignore names/,
    ],
    [
      'a renaming to nothing',
      'id,title',
      { map: [['town', 'title']] },
      /--map: there is no column town; the columns are id, name/,
    ],
    ['leaving out nothing', 'id,name', { ignore: ['town'] }, /lacks the column town/],
    ['setting nothing of ours', 'id,name', { set: [['town', 'x']] }, /--set: there is no column town/],
    ['setting what the file has', 'id,name', { set: [['name', 'x']] }, /has the column name, which --set gives too/],
    [
      'renaming to what the file has',
      'id,name,title',
      { map: [['name', 'title']] },
      /has the column name, which --map gives too/,
    ],
    [
      'one column given twice',
      'id,title',
      { map: [['name', 'title']], set: [['name', 'x']] },
      /name is given more than once/,
    ],
  ] as const)('are refused for %s', async (_, header, options, reason) => {
    const { faults, read } = await imports.run('companies', ['', header, 'companya1,a'], options)
    expect([read, faults]).toEqual([0, [expect.stringMatching(reason)]])
    expect(faults[0]).toMatch(/^2: /)
  })

  test.each([
    ['companies', 'id', undefined],
    ['assets', 'name', /^1: lacks id or legacy_id/],
    ['sensors', 'model', /^1: lacks id or serial/],
    ['health', 'sensor', /^1: lacks checked_at, status/],
    ['impressions', 'sensor,start', /^1: lacks impressions/],
    ['origins', 'asset_id,date,country,impressions', /^1: lacks region, city/],
    ['demographics', 'asset_id,date,impressions', /^1: lacks gender, age_band/],
  ] as const)('of %s must be enough', async (kind, header, reason) => {
    const { faults } = await imports.run(kind, [header])
    expect(faults).toEqual(reason ? [expect.stringMatching(reason)] : [])
  })
})
