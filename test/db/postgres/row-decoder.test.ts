import { keyHash } from '../../../db/api-keys/key-format'
import { readAs, World } from '../../support/world'

let world: World
let hash: Buffer

beforeAll(async () => {
  world = await World.open({ connections: 1 })
  // Whatever the database does for others.
  for (const setting of ['bytea_output = escape', `DateStyle = 'SQL, DMY'`, `TimeZone = 'Asia/Kathmandu'`]) {
    await world.owner.query(
      `DO $do$ BEGIN EXECUTE format($$ALTER DATABASE %I SET ${setting}$$, current_database()); END $do$`,
    )
  }
  hash = keyHash(await world.make.key([await world.make.company()]))
})
afterAll(() => world.stop())

const statementOf = (columns: string) => {
  const text = `SELECT ${columns}`
  return { name: keyHash(text).toString('hex').slice(0, 40), text }
}

const read = (columns: string): Promise<unknown[]> =>
  readAs(world.gateway, hash, reader => reader.read(statementOf(columns)))

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

test('a raw row has the same text as an equal one, and decodes to the same', async () => {
  const columns = `i, 'Über' AS name FROM unnest(ARRAY[1, 2, 1]) WITH ORDINALITY AS t (i, n) ORDER BY n`
  const rows = await readAs(world.gateway, hash, reader => reader.readRaw(statementOf(columns)))
  const [first, second, third] = rows.map(({ text }) => text)
  expect(third).toBe(first)
  expect(second).not.toBe(first)
  expect(rows.map(row => row.decode())).toEqual(await read(columns))
})
