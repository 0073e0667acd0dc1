import { keyHash } from '../../../db/api-keys/key-format'
import { RowCache } from '../../../db/postgres/row-cache'
import { Service } from '../../support/service'

let service: Service
let hash: Buffer

beforeAll(async () => {
  service = await Service.start({ connections: 1 })
  // Whatever the database does for others.
  for (const setting of ['bytea_output = escape', `DateStyle = 'SQL, DMY'`, `TimeZone = 'Asia/Kathmandu'`]) {
    await service.owner.query(
      `DO $do$ BEGIN EXECUTE format($$ALTER DATABASE %I SET ${setting}$$, current_database()); END $do$`,
    )
  }
  hash = keyHash(await service.make.key([await service.make.company()]))
})
afterAll(() => service.stop())

/** What one statement of these columns comes to. */
async function read(columns: string, kept?: RowCache<never, object>): Promise<unknown[]> {
  const text = `SELECT ${columns}`
  return (
    await service.gateway.database.present(hash, door =>
      door.read({ name: keyHash(text).toString('hex').slice(0, 40), text }, [], kept),
    )
  ).result
}

test.each([
  [`'Zoo'::text`, 'Zoo'],
  [`'Über „allem“ 🐘'::text`, 'Über „allem“ 🐘'],
  [`''::text`, ''],
  ['NULL::text', null],
  ['NULL::integer', null],
  ['0::smallint', 0],
  ['(-2147483648)::integer', -2147483648],
  ['9007199254740991::bigint', Number.MAX_SAFE_INTEGER],
  ['(-9007199254740991)::bigint', Number.MIN_SAFE_INTEGER],
  ['sum(12345678901234) ', 12345678901234],
  ['(-0.000012)::double precision', -0.000012],
  [`'1e300'::double precision`, 1e300],
  ['true', true],
  ['false', false],
  [`'2026-02-03'::date`, '2026-02-03'],
  [`'2026-02-03 04:05:06.7+01'::timestamptz`, '2026-02-03T03:05:06.7Z'],
  [`'\\x00ff7f80'::bytea`, Buffer.from([0, 255, 127, 128])],
  [`'{}'::text[]`, []],
  [`'{one,two}'::text[]`, ['one', 'two']],
  [`ARRAY['a,b', '"', '\\', '', 'null', NULL, 'é']`, ['a,b', '"', '\\', '', 'null', null, 'é']],
  [`'{}'::bigint[]`, []],
  [`'{1,NULL,-3}'::bigint[]`, [1, null, -3]],
  [`'[24312:24313]={9007199254740991,0}'::bigint[]`, [Number.MAX_SAFE_INTEGER, 0]],
  [`'{"a": ["é", 1]}'::json`, { a: ['é', 1] }],
])('%s is read as it is, between others', async (sql, value) => {
  expect(await read(`'é' AS before, ${sql} AS value, 7 AS behind`)).toEqual([{ before: 'é', value, behind: 7 }])
})

test('a number that is not safe to count with is refused', async () => {
  await expect(read('9007199254740993::bigint AS value')).rejects.toThrow()
  await expect(read('ARRAY[1, 9007199254740993] AS value')).rejects.toThrow()
})

test('what is made of a row is made once, as long as the row is the same', async () => {
  const made: object[] = []
  const kept = new RowCache<never, object>(row => {
    made.push(row)
    return row
  })
  const rows = (count: number) => read(`i, 'Über' AS name FROM generate_series(1, ${count}) AS i`, kept)
  const text = (count: number) => `i, 'Über' AS name FROM generate_series(1, ${count}) AS i`
  expect(await rows(3)).toEqual([1, 2, 3].map(i => ({ i, name: 'Über' })))
  expect(made).toHaveLength(3)
  expect(await read(text(4), kept)).toHaveLength(4)
  expect(made).toHaveLength(4)
  expect((await rows(3))[0]).toBe(made[0])
})
