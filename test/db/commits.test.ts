/** Checks that a commit runs only what follows from its change: to plan the rest takes longer than the change itself. */
import { createDatabase } from '../support/databases'
import type { MadeAsset } from '../support/factories'
import { World } from '../support/world'

let world: World
let asset: MadeAsset
beforeAll(async () => {
  world = await World.open({ database: await createDatabase() })
  asset = await world.make.asset()
  const sensor = await world.make.sensor({ asset })
  await world.make.counts(sensor, '2026-03-02', () => 1)
})
afterAll(() => world.stop())

const TOTALS = [
  'note_former_impressions',
  'record_restatements',
  'refresh_asset_months',
  'refresh_measured_assets',
  'replace_rows',
]

/** Returns the functions of totals that a change of assets calls until the end of its transaction, which does not commit. */
async function functionsOf(change: string): Promise<string[]> {
  const connection = await world.owner.connect()
  try {
    await connection.query(`SET track_functions = 'all'; BEGIN`)
    await connection.query(change, [asset.number])
    await connection.query('SET CONSTRAINTS ALL IMMEDIATE')
    const { rows } = await connection.query(
      'SELECT funcname FROM pg_stat_xact_user_functions WHERE funcname = ANY ($1) ORDER BY funcname COLLATE "C"',
      [TOTALS],
    )
    return rows.map(({ funcname }) => funcname)
  } finally {
    await connection.query('ROLLBACK; RESET track_functions')
    connection.release()
  }
}

test.each([
  ['another name', `UPDATE assets SET name = 'Other' WHERE number = $1`, []],
  [
    'a note',
    `INSERT INTO notes (id, asset, from_date, kind, text, is_internal) VALUES ('anoteanote', $1, '2026-03-02', 'caveat', 'Works', false)`,
    [],
  ],
  ['another city', `UPDATE assets SET city = 'Other' WHERE number = $1`, ['replace_rows']],
  [
    'a removed sensor',
    'UPDATE installations SET removed_at = now() WHERE asset = $1',
    ['record_restatements', 'replace_rows'],
  ],
  ['fewer counts', 'DELETE FROM sensor_days WHERE asset = $1', TOTALS],
])('%s refreshes only what follows from it', async (_, change, functions) => {
  expect(await functionsOf(change)).toEqual(functions)
})
