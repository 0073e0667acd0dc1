/** Connections are handed out by one door, which presents the key; one that may still know a key is not handed out again. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { keyHash } from '../../db/api-keys/key-format'
import type { PipelinedBatch } from '../../db/postgres/pipelined-batch'
import type { ReaderPool } from '../../db/postgres/scoped-reader'
import { Service, stowaway } from '../support/service'

let service: Service
let reader: ReaderPool
let hash: Buffer

beforeAll(async () => {
  service = await Service.start({ connections: 1, statementTimeoutMs: 400 })
  reader = service.gateway.database
  hash = keyHash(await service.make.key([await service.make.company()]))
})
afterAll(() => service.stop())

const BACKEND = {
  name: 'backend',
  text: `SELECT pg_backend_pid() AS pid, current_setting('partner_metrics.key_hash') AS presented`,
}

/** Which process of PostgreSQL a request reads with, and which key that process was told. */
async function backend(): Promise<{ pid: number; presented: string }> {
  const { result } = await reader.present(hash, door => door.read<{ pid: number; presented: string }>(BACKEND))
  const [row] = await result
  return row as { pid: number; presented: string }
}

test('a connection that comes back in good order is used again', async () => {
  const first = await backend()
  expect(first.presented).toBe(hash.toString('hex'))
  expect((await backend()).pid).toBe(first.pid)
})

test('a connection that breaks while it rests is not handed out', async () => {
  const { pid } = await backend()
  await service.owner.query('SELECT pg_terminate_backend($1, 1000)', [pid])
  while (reader.connections.total > 0) await new Promise(setImmediate)
  expect((await backend()).pid).not.toBe(pid)
})

test('who waits for a connection is handed the next one that comes back', async () => {
  const pids = (await Promise.all(Array.from({ length: 20 }, backend))).map(({ pid }) => pid)
  expect(new Set(pids).size).toBe(1)
  expect(reader.connections).toEqual({ total: 1, idle: 1, waiting: 0 })
})

type Query = (this: Client, ...args: unknown[]) => Promise<unknown>

test.each([
  ['a BEGIN that nobody ended', 'present'],
  ['a COMMIT that was never sent', 'session'],
] as const)('a connection that comes back in a transaction, for %s (%s), is destroyed', async (_, way) => {
  const { pid } = await backend()
  const query = Client.prototype.query as unknown as Query
  const spy = jest.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...args: unknown[]) {
    const { statements } = args[0] as PipelinedBatch
    if (way === 'present') statements.unshift(stowaway('unasked', 'BEGIN'))
    else if (statements[0]?.statement.name === 'commit') statements.splice(0, 1, stowaway('nothing', 'SELECT 1'))
    return query.apply(this, args)
  } as unknown as typeof Client.prototype.query)
  try {
    if (way === 'present') await reader.present(hash, () => undefined)
    else await reader.session(hash, async () => undefined)
  } finally {
    spy.mockRestore()
  }
  expect((await backend()).pid).not.toBe(pid)
  const gone = await service.owner.query('SELECT FROM pg_stat_activity WHERE pid = $1 AND xact_start IS NOT NULL', [
    pid,
  ])
  expect(gone.rowCount).toBe(0)
})

test('a connection whose statement never ended is destroyed', async () => {
  const { pid } = await backend()
  const endless = reader.session(hash, () => new Promise(() => {}))
  await expect(endless).rejects.toMatchObject({ code: 'TIMEOUT' })
  expect((await backend()).pid).not.toBe(pid)
})

test('a query that asks on while it reads sends one flight at a time: nothing queues in the driver', async () => {
  const query = Client.prototype.query as unknown as Query
  const aloft = new Set<PipelinedBatch>()
  const sent: [names: string[], beside: number][] = []
  const spy = jest.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...args: unknown[]) {
    const flight = args[0] as PipelinedBatch
    sent.push([flight.statements.map(({ statement }) => statement.name), aloft.size])
    aloft.add(flight)
    flight.settled.then(() => aloft.delete(flight))
    return query.apply(this, args)
  } as unknown as typeof Client.prototype.query)
  const asked = (name: string) => stowaway(name, 'SELECT pg_sleep(0.02)').statement
  try {
    await reader.session(hash, async (_, door) => {
      const first = door.read(asked('first'))
      const later = [1, 2, 3].map(async turns => {
        for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
        return door.read(asked(`later_${turns}`))
      })
      await Promise.all([first, ...later])
    })
  } finally {
    spy.mockRestore()
  }
  expect(sent.map(([, beside]) => beside)).toEqual(sent.map(() => 0))
  expect(sent.flatMap(([names]) => names)).toEqual(expect.arrayContaining(['first', 'later_1', 'later_2', 'later_3']))
})

test('a connection whose transaction failed is clean when it is used again', async () => {
  const failing = { name: 'failing', text: 'SELECT 1 / 0' }
  const { result } = await reader.present(hash, door => door.read(failing))
  await expect(result).rejects.toThrow('division by zero')
  expect((await backend()).presented).toBe(hash.toString('hex'))
  expect((await service.get('/v1/partner/meta', { key: 'nobody' })).status).toBe(401)
})

test('a transaction of a request cannot write', async () => {
  const writing = { name: 'writing', text: 'SELECT lo_create(0)' }
  const { result } = await reader.present(hash, door => door.read(writing))
  await expect(result).rejects.toThrow('read-only transaction')
})

test('nobody who answers requests has a connection but through the door', () => {
  const root = join(__dirname, '..', '..')
  const files = ['rest-gateway', 'resolvers', 'db'].flatMap(room =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts') && !/^(explorer|docs)\//.test(name))
      .map(name => join(room, name)),
  )
  const opening = files.filter(file =>
    /\b(openPool|withPool|new Pool|new Client)\(/.test(readFileSync(join(root, file), 'utf8')),
  )
  // The door; how pools are made; and the owner's own work.
  expect(opening.sort()).toEqual([
    'db/embedded/embedded-cluster.ts',
    'db/migrations/migrate.ts',
    'db/postgres/pool.ts',
    'db/postgres/scoped-reader.ts',
  ])
})
