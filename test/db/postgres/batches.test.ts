/** The contract between batches and pg. */
import { Client } from 'pg'
import { Parser } from 'pg-protocol/dist/parser'
import { keyHash } from '../../../db/api-keys/key-format'
import { batchesOf } from '../../../db/postgres/batch'
import { ReaderPool } from '../../../db/postgres/reader-pool'
import { readAs, World } from '../../support/world'

let world: World
let hash: Buffer

beforeAll(async () => {
  world = await World.open({ connections: 1, statementTimeoutMs: 1_000 })
  // Whatever the database does for others.
  for (const setting of ['bytea_output = escape', `DateStyle = 'SQL, DMY'`, `TimeZone = 'Asia/Kathmandu'`]) {
    await world.rows(`DO $do$ BEGIN EXECUTE format($$ALTER DATABASE %I SET ${setting}$$, current_database()); END $do$`)
  }
  hash = keyHash(await world.make.key([await world.make.company()]))
})
afterAll(() => world.stop())

const statementOf = (text: string) => ({ name: keyHash(text).toString('hex').slice(0, 40), text })

/** Reads statements in one batch. */
async function readAll(...texts: string[]): Promise<PromiseSettledResult<unknown[]>[]> {
  const reader = world.gateway.database.readerFor(hash)
  const rows = Promise.allSettled(texts.map(text => reader.read(statementOf(text))))
  await reader.authenticate().catch(() => {})
  return rows
}

const read = (columns: string): Promise<unknown[]> =>
  readAs(world.gateway, hash, reader => reader.read(statementOf(`SELECT ${columns}`)))

test('the installed pg has the private interfaces that pipelined batches use', () => {
  const { connection } = new Client() as unknown as { connection: { attachListeners: unknown } }
  expect([typeof connection.attachListeners, typeof Parser.prototype.handlePacket]).toEqual(['function', 'function'])
})

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

describe('a batch', () => {
  test('reads one snapshot, whatever is committed meanwhile', async () => {
    const limits = { connections: 1, statementTimeoutMs: 10_000, connectTimeoutMs: 10_000 }
    const ownersPool = new ReaderPool(world.database.ownerUrl, limits, batchesOf('owner'))
    const everything = await world.make.key([], { all_companies: true, scopes: ['internal:graphql:read'] })
    const lock = await world.owner.connect()
    try {
      await lock.query('SELECT pg_advisory_lock(1)')
      const reader = ownersPool.readerFor(keyHash(everything))
      const names = 'SELECT name FROM companies'
      const reads = [names, 'SELECT pg_advisory_xact_lock_shared(1)', `${names} WHERE true`].map(text =>
        reader.read(statementOf(text)),
      )
      const end = reader.authenticate()
      const awaited = `SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
        WHERE NOT l.granted AND a.datname = current_database()`
      while ((await world.rows(awaited)).length === 0);
      await world.make.company('Between')
      await lock.query('SELECT pg_advisory_unlock(1)')
      await end
      const [before, , after] = await Promise.all(reads)
      expect(after).toEqual(before)
    } finally {
      lock.release()
      await ownersPool.close()
    }
  })

  test('runs nothing behind an error, and leaves a usable connection', async () => {
    const [good, failed, behind] = await readAll('SELECT 1 AS one', 'SELECT 1 / 0', 'SELECT 2 AS two')
    expect(good).toMatchObject({ value: [{ one: 1 }] })
    for (const rejected of [failed, behind]) expect(rejected).toMatchObject({ reason: { message: 'division by zero' } })
    expect(await readAll('SELECT 3 AS three')).toMatchObject([{ value: [{ three: 3 }] }])
  })

  test('is rejected with TIMEOUT when a statement takes too long', async () => {
    expect(await readAll('SELECT pg_sleep(10)')).toMatchObject([{ reason: { code: 'TIMEOUT' } }])
    expect(await readAll('SELECT 4 AS four')).toMatchObject([{ value: [{ four: 4 }] }])
  })
})
