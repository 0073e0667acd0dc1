/** Every batch authenticates its key; a connection whose transaction may still be open is not used again. */
import { Client } from 'pg'
import { keyHash } from '../../db/api-keys/key-format'
import type { Batch } from '../../db/postgres/batch'
import type { ReaderPool } from '../../db/postgres/reader-pool'
import { unusedStatement } from '../support/traffic'
import { readAs, World } from '../support/world'

let world: World
let database: ReaderPool
let hash: Buffer

beforeAll(async () => {
  world = await World.open({ connections: 1, statementTimeoutMs: 2_000 })
  database = world.gateway.database
  hash = keyHash(await world.make.key([await world.make.company()]))
})
afterAll(() => world.stop())

const BACKEND = {
  name: 'backend',
  text: `SELECT pg_backend_pid() AS pid, current_setting('partner_metrics.key_hash') AS "keyHash"`,
}

/** Returns the PostgreSQL process that a request reads with, and the key that is authenticated there. */
async function backend(): Promise<{ pid: number; keyHash: string }> {
  const [row] = await readAs(world.gateway, hash, reader => reader.read<{ pid: number; keyHash: string }>(BACKEND))
  return row as { pid: number; keyHash: string }
}

test('a connection that broke while it was idle is not used', async () => {
  const { pid } = await backend()
  await world.owner.query('SELECT pg_terminate_backend($1, 1000)', [pid])
  while (database.connections.total > 0) await new Promise(setImmediate)
  expect((await backend()).pid).not.toBe(pid)
})

type Query = (this: Client, ...args: unknown[]) => Promise<unknown>

test('a connection whose transaction is still open is destroyed', async () => {
  const { pid } = await backend()
  const query = Client.prototype.query as unknown as Query
  const spy = jest.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...args: unknown[]) {
    const { statements } = args[0] as Batch
    statements.unshift(unusedStatement('extra', 'BEGIN'))
    return query.apply(this, args)
  } as unknown as typeof Client.prototype.query)
  try {
    await database.readerFor(hash).authenticate()
  } finally {
    spy.mockRestore()
  }
  expect((await backend()).pid).not.toBe(pid)
  const gone = await world.owner.query('SELECT FROM pg_stat_activity WHERE pid = $1 AND xact_start IS NOT NULL', [pid])
  expect(gone.rowCount).toBe(0)
})

test('a key that is revoked while its request is being served reads nothing more', async () => {
  const key = keyHash(await world.make.key([]))
  const reader = database.readerFor(key)
  expect(await reader.authenticate()).toBeDefined()
  await world.owner.query('UPDATE api_keys SET deactivated_at = now() WHERE hash = $1', [key])
  await expect(reader.read({ name: 'one', text: 'SELECT 1' })).rejects.toMatchObject({ code: 'INVALID_API_KEY' })
})

test('a connection is used again, and a key is valid for its own transaction: another one sees none of its rows', async () => {
  const { pid, keyHash } = await backend()
  expect([keyHash, (await backend()).pid]).toEqual([hash.toString('hex'), pid])
  const everything = { name: 'everything', text: 'SELECT id FROM companies' }
  const count = async (key: Buffer) => (await readAs(world.gateway, key, reader => reader.read(everything))).length
  expect([await count(hash), await count(Buffer.alloc(32))]).toEqual([1, 0])
})

test('a transaction of a request cannot write', async () => {
  const writing = { name: 'writing', text: 'CREATE TABLE written ()' }
  await expect(readAs(world.gateway, hash, reader => reader.read(writing))).rejects.toThrow('read-only transaction')
})
