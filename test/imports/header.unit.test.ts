import type { ColumnOptions } from '../../imports/csv/header/column-options'
import { readHeader } from '../../imports/csv/header/header'
import type { Kind } from '../../imports/kind-names'
import { KINDS } from '../../imports/kinds'

/** Reads options as a command line has them: `--map name=title --ignore since`. */
function optionsOf(text: string): ColumnOptions {
  const given = { map: [] as [string, string][], set: [] as [string, string][], ignore: [] as string[] }
  for (const [, name, value = ''] of text.matchAll(/--(map|set|ignore) (\S+)/g)) {
    const [target = '', source = ''] = value.split('=')
    if (name === 'ignore') given.ignore.push(value)
    else given[name as 'map' | 'set'].push([target, source])
  }
  return given
}

const read = (kind: Kind, header: string, options: ColumnOptions | string = {}) =>
  readHeader(header.split(','), 2, KINDS[kind], typeof options === 'string' ? optionsOf(options) : options)

describe('the header of a file', () => {
  test.each<[string, Kind, header: string, options: string, columns: string, row: string, values: string]>([
    ['its columns in any order', 'companies', ' name ,id', '', 'id,name', 'Alder,companya1', 'companya1,Alder'],
    [
      'columns that are mapped, ignored and completed by constants',
      'vendors',
      'since,title,code',
      '--map name=title --map id=code --ignore since --set own=false --set finest_grain=hour',
      'id,name,own,finest_grain',
      '2020,Alpha,vendoralpha1',
      'vendoralpha1,Alpha,false,hour',
    ],
    [
      'one that is the source of two',
      'companies',
      'name',
      '--map id=name --map name=name',
      'id,name',
      'one',
      'one,one',
    ],
  ])('may have %s', (_, kind, header, options, columns, row, values) => {
    const { columns: found, arrangeValues } = read(kind, header, options)
    expect([`${found}`, `${arrangeValues(row.split(','))}`]).toEqual([columns, values])
  })

  test('may be mapped by a pattern that one column matches', () => {
    expect(read('companies', 'Firma (2026)', { map: [['name', 'Firma*']] }).columns).toEqual(['name'])
    expect(() => read('companies', 'Firma (2026),Firma (2025)', { map: [['name', 'Firma*']] })).toThrow(
      'has 2 columns that --map name=Firma* names: name one of them',
    )
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
      '',
      /^has unknown columns: "town"\. The columns are id, name; rename one with --map/,
    ],
    [
      'another separator',
      'id;name',
      '',
      /^has no column id or name; the header was read as "id;name"\. If the values .*--delimiter; .*--header-line; .*--no-header; .*--map id=/,
    ],
    ['a repeated column', 'id,name,name', '', /^has the column name more than once$/],
    [
      'a mapped column that the file does not have',
      'id,name',
      '--map name=title',
      /^has no column title, which --map or --ignore names; the header was read as "id", "name"\. .*--delimiter; .*--header-line/,
    ],
    ['an ignored column that the file does not have', 'id,name', '--ignore town', /^has no column town/],
    ['a constant for a column of the file', 'id,name', '--set name=x', /^has the column name, which --set gives too/],
    [
      'a mapping to a column of the file',
      'id,name,title',
      '--map name=title',
      /^has the column name, which --map gives too/,
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
