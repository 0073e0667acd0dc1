import type { ColumnOptions } from '../../imports/csv/header/column-options'
import { readHeader } from '../../imports/csv/header/header'
import type { Kind } from '../../imports/kind-names'
import { KINDS } from '../../imports/kinds'

const read = (kind: Kind, header: string, options: ColumnOptions = {}) =>
  readHeader(header.split(','), 2, KINDS[kind], options)

describe('the header of a file', () => {
  test('may have its columns in any order', () => {
    const header = read('companies', ' name ,id')
    expect(header.columns).toEqual(['id', 'name'])
    expect(header.arrangeValues(['Alder', 'companya1'])).toEqual(['companya1', 'Alder'])
  })

  test('may be mapped, ignored and completed by constants', () => {
    const header = read('vendors', 'since,title,code', {
      map: [
        ['name', 'title'],
        ['id', 'code'],
      ],
      ignore: ['since'],
      set: [
        ['own', 'false'],
        ['finest_grain', 'hour'],
      ],
    })
    expect(header.columns).toEqual(['id', 'name', 'own', 'finest_grain'])
    expect(header.arrangeValues(['2020', 'Alpha', 'vendoralpha1'])).toEqual(['vendoralpha1', 'Alpha', 'false', 'hour'])
  })

  test('may be mapped by a pattern that one column matches', () => {
    expect(read('companies', 'Firma (2026)', { map: [['name', 'Firma*']] }).columns).toEqual(['name'])
    expect(() => read('companies', 'Firma (2026),Firma (2025)', { map: [['name', 'Firma*']] })).toThrow(
      'has 2 columns that --map name=Firma* names: name one of them',
    )
  })

  test('may have one column that is the source of two', () => {
    const header = read('companies', 'name', {
      map: [
        ['id', 'name'],
        ['name', 'name'],
      ],
    })
    expect(header.arrangeValues(['companyone'])).toEqual(['companyone', 'companyone'])
  })

  test('may repeat names that are ignored, and have blanks around names', () => {
    const options: ColumnOptions = { map: [['name', 'title ']], ignore: [' note'] }
    expect(read('companies', 'id,note, title,note', options).arrangeValues(['companyone', 'a', 'Alder', 'b'])).toEqual([
      'companyone',
      'Alder',
    ])
  })

  test('may have columns without a name, and columns that are joined', () => {
    const options: ColumnOptions = { map: [['start', 'Date+Hour']] }
    const header = read('impressions', 'sensor,Date,Hour,impressions,', options)
    expect(header.unnamed).toEqual([4])
    expect(header.arrangeValues(['S1', '2026-03-01', '5', '7', ''])).toEqual(['S1', '2026-03-01 5', '7'])
    expect(header.arrangeValues(['S1', '2026-03-01', '', '7', ''])).toEqual(['S1', '2026-03-01 ', '7'])
    expect(header.arrangeValues(['S1', '', '', '', ''])).toEqual(['S1', '', ''])
  })

  test('may lack columns that another file has, but none that it needs', () => {
    const options: ColumnOptions = { mayLackColumns: true, ignore: ['Summe'], map: [['id', 'Kennung']] }
    expect(read('companies', 'name', options).columns).toEqual(['name'])
    const needed: ColumnOptions = { mayLackColumns: true, map: [['start', 'Zeit']] }
    expect(() => read('impressions', 'sensor,impressions', needed)).toThrow(/^has no column Zeit, which --map/)
  })

  test('names the option for two columns of a sensor', () => {
    const options: ColumnOptions = {
      wide: true,
      serial: [
        ['A', 'S1'],
        ['B', 'S1'],
      ],
    }
    expect(() => read('impressions', 'start,A,B', options)).toThrow(
      /: add them up with --sum "S1=A\+B", or leave one out/,
    )
  })

  test.each([
    [
      'an unknown column',
      'id,name,town',
      {},
      /^has unknown columns: "town"\. The columns are id, name; rename one with --map/,
    ],
    [
      'another separator',
      'id;name',
      {},
      /^has unknown columns: "id;name" \(name the character between the values with --delimiter\)/,
    ],
    ['a repeated column', 'id,name,name', {}, /^has the column name more than once$/],
    [
      'a mapped column that the file does not have',
      'id,name',
      { map: [['name', 'title']] },
      /^has no column title, which --map or --ignore names$/,
    ],
    [
      'a mapping to an unknown column',
      'id,title',
      { map: [['town', 'title']] },
      /^--map: there is no column town; the columns are id, name$/,
    ],
    ['an ignored column that the file does not have', 'id,name', { ignore: ['town'] }, /^has no column town/],
    ['a constant for an unknown column', 'id,name', { set: [['town', 'x']] }, /^--set: there is no column town/],
    [
      'a constant for a column of the file',
      'id,name',
      { set: [['name', 'x']] },
      /^has the column name, which --set gives too/,
    ],
    [
      'a mapping to a column of the file',
      'id,name,title',
      { map: [['name', 'title']] },
      /^has the column name, which --map gives too/,
    ],
    [
      'a column that is both mapped and constant',
      'id,title',
      { map: [['name', 'title']], set: [['name', 'x']] },
      /^name is given more than once/,
    ],
  ] as const)('is refused for %s', (_, header, options, message) => {
    expect(() => read('companies', header, options)).toThrow(
      expect.objectContaining({ line: 2, message: expect.stringMatching(message) }),
    )
  })

  test.each([
    ['assets', 'name', 'has no column id or legacy_id'],
    ['sensors', 'model', 'has no column id or serial'],
    ['health', 'sensor', 'has no column checked_at, status'],
    ['impressions', 'sensor,start', 'has no column impressions'],
    ['origins', 'asset_id,date,country,impressions', 'has no column region, city'],
    ['demographics', 'asset_id,date,impressions', 'has no column gender, age_band'],
  ] as const)('of %s must have the required columns', (kind, header, message) => {
    expect(() => read(kind, header)).toThrow(message)
  })

  test('may have no more than an id', () => {
    expect(read('companies', 'id').columns).toEqual(['id'])
  })
})
