/** The contract between batches and pg. */
import { Client } from 'pg'
import { Parser } from 'pg-protocol/dist/parser'
import { keyHash, makeKey } from '../../../db/api-keys/key-format'
import { batchesOf } from '../../../db/postgres/pipelined-batch'
import { openPool } from '../../../db/postgres/pool'
import { ReaderPool } from '../../../db/postgres/reader-pool'
import { createDatabase, type TestDatabase } from '../../support/databases'

const LIMITS = { connections: 1, statementTimeoutMs: 2_000, connectTimeoutMs: 10_000 }

const statement = (name: string, text: string) => ({ name, text })

let database: TestDatabase

beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

test('the installed pg has the private interfaces that pipelined batches use', () => {
  const { connection } = new Client() as unknown as { connection: { attachListeners: unknown } }
  expect([typeof connection.attachListeners, typeof Parser.prototype.handlePacket]).toEqual(['function', 'function'])
})

describe('a batch', () => {
  let pool: ReaderPool

  beforeAll(() => {
    pool = new ReaderPool(database.readerUrl, LIMITS)
  })
  afterAll(() => pool.close())

  const hash = keyHash(makeKey('dev'))

  /** Reads without a valid key: what is visible does not matter here. */
  async function read(...texts: string[]): Promise<PromiseSettledResult<unknown[]>[]> {
    const reader = pool.readerFor(hash)
    const rows = Promise.allSettled(texts.map(text => reader.read(statement(text, text))))
    await reader.authenticate().catch(() => {})
    return rows
  }

  test('returns the rows of each statement, with values of the same types', async () => {
    const types = `SELECT 1 AS int4, 2::bigint AS int8, 1.5::float8 AS float8, true AS bool, '\\x00ff'::bytea AS bytea, 'Ü'::text AS text,
      NULL::text AS nothing, ARRAY['a', 'b'] AS texts, ARRAY[1, NULL]::bigint[] AS numbers, date '2026-01-02' AS date,
      timestamptz '2026-01-02 03:04:05Z' AS instant, '{"a": [1]}'::json AS json`
    const [row, rows] = await read(types, 'SELECT i FROM generate_series(1, 3) AS i')
    expect(row).toEqual({
      status: 'fulfilled',
      value: [
        {
          int4: 1,
          int8: 2,
          float8: 1.5,
          bool: true,
          bytea: Buffer.from([0, 255]),
          text: 'Ü',
          nothing: null,
          texts: ['a', 'b'],
          numbers: [1, null],
          date: '2026-01-02',
          instant: '2026-01-02T03:04:05Z',
          json: { a: [1] },
        },
      ],
    })
    expect(rows).toEqual({ status: 'fulfilled', value: [{ i: 1 }, { i: 2 }, { i: 3 }] })
  })

  test('is one transaction, in which the key is authenticated, and which cannot write', async () => {
    const setting = `SELECT current_setting('partner_metrics.key_hash') AS hash, pg_current_xact_id_if_assigned() IS NULL AS unwritten`
    expect(await read(setting)).toMatchObject([{ value: [{ hash: hash.toString('hex'), unwritten: true }] }])
    const [written] = await read('CREATE TABLE written ()')
    expect(written).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('read-only') } })
  })

  test('reads one snapshot, whatever is committed meanwhile', async () => {
    const owner = openPool(database.ownerUrl, { max: 2 })
    const limits = { ...LIMITS, statementTimeoutMs: 10_000 }
    const ownersPool = new ReaderPool(database.ownerUrl, limits, batchesOf('owner'))
    const lock = await owner.connect()
    try {
      await lock.query('SELECT pg_advisory_lock(1)')
      const reader = ownersPool.readerOfCompanies(null)
      const names = 'SELECT name FROM companies'
      const reads = [names, 'SELECT pg_advisory_xact_lock_shared(1)', `${names} WHERE true`].map(text =>
        reader.read(statement(text, text)),
      )
      const end = reader.authenticate()
      const awaited = `SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
        WHERE NOT l.granted AND a.datname = current_database()`
      while ((await owner.query(awaited)).rowCount === 0);
      await owner.query(`INSERT INTO companies (id, name) VALUES ('company0', 'Between')`)
      await lock.query('SELECT pg_advisory_unlock(1)')
      await end
      const [before, , after] = await Promise.all(reads)
      expect(after).toEqual(before)
    } finally {
      await owner.query('DELETE FROM companies')
      lock.release()
      await ownersPool.close()
      await owner.end()
    }
  })

  test('runs nothing behind an error, and leaves a usable connection', async () => {
    const [good, failed, behind] = await read('SELECT 1 AS one', 'SELECT 1 / 0', 'SELECT 2 AS two')
    expect(good).toMatchObject({ value: [{ one: 1 }] })
    for (const rejected of [failed, behind]) expect(rejected).toMatchObject({ reason: { message: 'division by zero' } })
    expect(await read('SELECT 3 AS three')).toMatchObject([{ value: [{ three: 3 }] }])
  })

  test('is rejected with TIMEOUT when a statement takes too long', async () => {
    expect(await read('SELECT pg_sleep(10)')).toMatchObject([{ reason: { code: 'TIMEOUT' } }])
    expect(await read('SELECT 4 AS four')).toMatchObject([{ value: [{ four: 4 }] }])
  })

  test('adds itself and its rows, with the one of the key, to the counts of the request', async () => {
    const counts = { batches: 0, rows: 0, waitedMs: 0 }
    const three = statement('three rows', 'SELECT n FROM generate_series(1, 3) AS n')
    const reader = pool.readerFor(hash, counts)
    const rows = Promise.all([reader.read(three), reader.readRaw(three)])
    await reader.authenticate()
    await rows
    expect(counts).toMatchObject({ batches: 1, rows: 7 })
    await reader.read(three).catch(() => {})
    expect(counts).toMatchObject({ batches: 2, rows: 11 })
  })

  test('adds the time in which it waited for PostgreSQL, but not that of what uses its rows', async () => {
    const block = (ms: number) => {
      const end = performance.now() + ms
      while (performance.now() < end);
    }
    const counts = { batches: 0, rows: 0, waitedMs: 0 }
    const reader = pool.readerFor(hash, counts)
    const began = performance.now()
    const used = reader.read(statement('one', 'SELECT 1 AS one')).then(() => block(50))
    await reader.authenticate()
    await used
    expect(counts.waitedMs).toBeGreaterThan(0)
    expect(counts.waitedMs).toBeLessThan(performance.now() - began - 49)
  })

  test('returns raw rows whose texts are equal exactly when the rows are', async () => {
    const reader = pool.readerFor(hash)
    const rows = reader.readRaw(statement('raw', 'SELECT n FROM unnest(ARRAY[1, 2, 1]) AS n'))
    await reader.authenticate()
    const [first, second, third] = await rows
    expect(first?.text).toBe(third?.text)
    expect(first?.text).not.toBe(second?.text)
    expect(second?.decode()).toEqual({ n: 2 })
  })
})
