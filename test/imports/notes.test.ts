/** Notes from files: what a row says replaces the note that it names, and importing a file twice changes nothing. */

import { World } from '../support/world'

let world: World

beforeAll(async () => {
  world = await World.open()
  const asset = await world.make.asset({ id: 'assetone1', legacy_id: 101, name: 'Zoo, east gate' })
  await world.make.asset({ id: 'assettwo2' })
  await world.make.sensor({ asset, id: 'sensorone1', serial: 'SN-1' })
})
afterAll(() => world.stop())
beforeEach(() => world.rows('DELETE FROM notes'))

const HEADER = 'id,asset_id,sensor,from,to,kind,text,internal'

/** Returns the notes as the command lists them, without their ids and times. */
async function list() {
  const { document } = await world.runJson(['list', 'notes'])
  return document.rows
    .map(({ id: _, updated_at: __, ...row }: Record<string, unknown>) => Object.values(row).join('|'))
    .sort()
}

test('notes on assets and sensors are stored, and a second import changes nothing', async () => {
  const lines = [
    HEADER,
    ',101,,2026-01-05,2026-01-09,caveat,"Road works, one lane closed",',
    'noteofmine,"Zoo, east gate",,2026-01-05,,break,A new model,yes',
    ',,SN-1,2026-01-07,2026-01-07,caveat,Too little,false',
  ]
  expect(await world.import('notes', lines)).toMatchObject({ stored: 3, errors: [] })
  expect(await list()).toEqual(
    [
      '||SN-1|2026-01-07|2026-01-07|caveat|Too little|false',
      'assetone1|Zoo, east gate||2026-01-05|2026-01-09|caveat|Road works, one lane closed|false',
      'assetone1|Zoo, east gate||2026-01-05||break|A new model|true',
    ].sort(),
  )
  const before = await world.rows('SELECT * FROM notes ORDER BY id')
  expect(await world.import('notes', [...lines, lines[1]!])).toMatchObject({ stored: 0, unchanged: 4, errors: [] })
  expect(await world.rows('SELECT * FROM notes ORDER BY id')).toEqual(before)
})

test('a row updates the note that it names by its id, or by what it says, in the columns that the file has', async () => {
  await world.import('notes', [HEADER, 'noteofmine,101,,2026-01-05,2026-01-09,caveat,Road works,true'])
  for (const [header, row, expected] of [
    [
      'asset_id,from,kind,text',
      'assetone1,2026-01-05,caveat,Road works',
      '2026-01-05|2026-01-09|caveat|Road works|true',
    ],
    [HEADER, ',101,,2026-01-05,,caveat,Road works,no', '2026-01-05||caveat|Road works|false'],
    [
      'id,asset_id,from,kind,text',
      'noteofmine,101,2026-01-06,break,Other works',
      '2026-01-06||break|Other works|false',
    ],
  ] as const) {
    expect(await world.import('notes', [header, row])).toMatchObject({ errors: [] })
    expect([row, await list()]).toEqual([row, [`assetone1|Zoo, east gate||${expected}`]])
  }
})

test.each([
  [',assetone1,SN-1,2026-01-05,,caveat,x,', 'asset_id or sensor is required, and not both'],
  [',,,2026-01-05,,caveat,x,', 'asset_id or sensor is required, and not both'],
  [',SN-1,,2026-01-05,,caveat,x,', 'asset_id "SN-1" is unknown'],
  [',,101,2026-01-05,,caveat,x,', 'sensor "101" is unknown'],
  [',101,,2026-01-05,2026-01-04,caveat,x,', 'to is 2026-01-04, before from'],
  [',101,,2026-02-30,,caveat,x,', 'from is "2026-02-30", but must be a real date, YYYY-MM-DD'],
  [',101,,2026-01-05,,unusable,x,', 'kind is "unusable", but must be one of caveat, break'],
  [',101,,2026-01-05,,caveat,,', 'text is required'],
  [`,101,,2026-01-05,,caveat,${'x'.repeat(2_001)},`, expect.stringMatching(/must be text of at most 2000 characters$/)],
  ['Note 1,101,,2026-01-05,,caveat,x,', expect.stringMatching(/^id is "Note 1", but must be an identifier/)],
  [
    'noteofyours,101,,2026-01-01,,caveat,Stored,',
    'this is the note noteofmine already: leave out its id, or give that one',
  ],
  [
    'noteofmine,assettwo2,,2026-01-01,,caveat,Stored,\nnoteofmine,101,,2026-01-01,,caveat,y,',
    'its id has other values on line 2',
  ],
  [',101,,2026-01-05,,caveat,x,\n,101,,2026-01-05,2026-01-06,caveat,x,', 'this note has other values on line 2'],
])('row %# is refused', async (row, reason) => {
  await world.import('notes', [HEADER, 'noteofmine,101,,2026-01-01,,caveat,Stored,'])
  const { errors, stored } = await world.import('notes', [HEADER, ...row.split('\n')])
  expect([errors.map(error => error.replace(/^\d+: /, '')), stored]).toEqual([[reason], 0])
})

test.each([
  [['--asset', '101', '--sensor', 'SN-1'], 2, /give either --asset or --sensor/],
  [[], 2, /give either --asset or --sensor/],
  [['--asset', '101', '--to', '2025-12-31'], 2, /--to 2025-12-31 is before --from 2026-01-01/],
  [['--asset', '101', '--kind', 'unusable'], 2, /--kind.*It must be one of caveat, break/s],
  [['--asset', '101', '--text', ' '], 2, /--text.*It must be text of at most 2000 characters/s],
  [['--asset', '101', '--from', '2026-02-30'], 2, /--from.*It must be a real date/s],
  [['--asset', '102'], 1, /there is no asset with the id or legacy id or name "102"/],
  [['--sensor', 'SN-2'], 1, /there is no sensor with the id or serial "SN-2"/],
  [['--asset', '101', '--text', 'Stored'], 1, /has this note already.*partner-metrics note remove noteofmine/],
])('note add %j is an error', async (args, code, message) => {
  await world.import('notes', [HEADER, 'noteofmine,101,,2026-01-01,,caveat,Stored,'])
  const usual = ['--from', '2026-01-01', '--kind', 'caveat', '--text', 'x']
  const ended = await world.run(['note', 'add', ...usual, ...args])
  expect(ended.stderr).toMatch(message)
  expect(ended.code).toBe(code)
  expect(await list()).toHaveLength(1)
})

test('a note that does not exist cannot be removed', async () => {
  const { code, stderr } = await world.run(['note', 'remove', 'x'])
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/there is no note with the id "x" \(`partner-metrics list notes`/),
  ])
})
