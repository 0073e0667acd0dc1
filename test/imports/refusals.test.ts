/** Rows of all kinds but counts that are refused: nothing of their file is stored, and the error names line and column. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { KIND_NAMES, type Kind } from '../../imports/kind-names'
import { refused } from '../support/outcomes'
import { like } from '../support/text'
import { World } from '../support/world'

let world: World
beforeAll(async () => {
  world = await World.open()
  await world.make.together(async make => {
    const company = await make.company('Alder', { id: 'companya1' })
    await make.company('Birch', { id: 'companyb1' })
    const place = { company, country: 'DE', region: 'DE-BE' }
    const asset = await make.asset({ ...place, id: 'assetone1', legacy_id: 101, name: 'One' })
    await make.asset({ ...place, id: 'assettwo2', legacy_id: 202, name: 'Two' })
    for (const legacy_id of [303, 304]) await make.asset({ ...place, legacy_id, name: 'Twin' })
    const vendor = await make.vendor('quarter_hour', { id: 'vendorcounted1', name: 'D', own: false })
    await make.vendor('hour', { name: 'Hour', own: false })
    const attributes = { serial: 'S', vendor, grain: 'quarter_hour', installed_at: '2026-01-01T00:00Z' } as const
    await make.counts(await make.sensor({ ...attributes, asset }), '2026-03-01', () => 1)
  })
  await world.import('notes', [
    'id,asset_id,sensor,from,to,kind,text,internal',
    'noteofmine,101,,2026-01-01,,caveat,Stored,',
  ])
  await world.import('assets', ['id,venue_type_id,venue_taxonomy', 'assettwo2,304,1.2.1'])
})
afterAll(() => world.stop())

/** Reads `refusals.txt`: a kind and a header, then rows, divided by ` | `, and their errors, divided by ` & `. */
function readCases(): { kind: Kind; lines: string[]; errors: string[] }[] {
  const text = readFileSync(join(__dirname, 'refusals.txt'), 'utf8').replaceAll('LONG', 'x'.repeat(2_001))
  return text.split('\n\n').flatMap(part => {
    const [head = '', ...cases] = part.trimEnd().split('\n  ')
    const [kind = '', header = ''] = head.split(/: (.*)/)
    return cases.map(each => {
      const [rows = '', errors = ''] = each.split(' -> ')
      return { kind: kind as Kind, lines: [header, ...rows.split(' | ')], errors: errors.split(' & ') }
    })
  })
}

const readAll = () =>
  world.rows(`SELECT (SELECT json_agg(c) FROM companies c) AS companies, (SELECT json_agg(v) FROM vendors v) AS vendors,
    (SELECT json_agg(a) FROM assets a) AS assets, (SELECT json_agg(s) FROM sensors s) AS sensors,
    (SELECT json_agg(n) FROM notes n) AS notes, (SELECT count(*) FROM origin_days) AS origins,
    (SELECT count(*) FROM demographic_days) AS demographics, (SELECT json_agg(h) FROM sensor_health h) AS health`)

test.each(KIND_NAMES.filter(kind => kind !== 'impressions'))('rows of %s', async kind => {
  const before = await readAll()
  const cases = readCases().filter(each => each.kind === kind)
  expect(cases.length).toBeGreaterThan(3)
  const outcomes = []
  for (const { lines } of cases) {
    const { errors, stored, unchanged } = await world.import(kind, lines)
    outcomes.push({ lines, errors, stored, unchanged })
  }
  const expected = cases.map(({ lines, errors }) => ({ lines, errors: errors.map(like), stored: 0, unchanged: 0 }))
  expect(outcomes).toEqual(expected)
  expect(await readAll()).toEqual(before)
})

test('without faulty rows, the others are stored, but nothing of a file that cannot be read', async () => {
  const lines = ['id,name', 'companyc1,Cedar', 'X,Elm', 'companyd1,b"b', 'companye1,Elm']
  expect(await world.import('companies', lines)).toEqual(refused(4, [/^3: id is "X"/, /^4: has a quote/]))
  expect(await world.import('companies', lines, { skipFaulty: true })).toMatchObject({ stored: 2, rejected: 2 })
  for (const [text, error] of [
    ['', 'file: is empty: there is no header'],
    ['id,name\ncompanyf1,"b"b\n', '2: text follows the quote …'],
  ] as const) {
    const { errors, stored } = await world.import('companies', Buffer.from(text), { skipFaulty: true })
    expect([text, errors, stored]).toEqual([text, [like(error)], 0])
  }
})
