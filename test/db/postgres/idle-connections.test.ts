/** The connections of a pool: opened one at a time, handed to who waited longest, and none left when it ends. */
import type { Pool, PoolClient } from 'pg'
import { Connections } from '../../../db/postgres/idle-connections'
import { endPool, openPool } from '../../../db/postgres/pool'
import { createDatabase, type TestDatabase } from '../../support/databases'

let database: TestDatabase
let pool: Pool
let connections: Connections
/** How many are being opened, and how many were at most. */
let opening = 0
let most = 0

beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database?.drop())

beforeEach(() => {
  most = 0
  pool = openPool(database.readerUrl, { max: 5 })
  const connect = pool.connect.bind(pool)
  pool.connect = async () => {
    most = Math.max(most, ++opening)
    return connect().finally(() => opening--)
  }
  connections = new Connections(pool)
})
afterEach(async () => {
  connections.close()
  if (!pool.ending) await endPool(pool)
})

const give = (clients: PoolClient[]): void => {
  for (const client of clients) connections.giveBack(client, false)
}

test('connections are opened one at a time, for all who wait', async () => {
  const clients = await Promise.all(Array.from({ length: 5 }, () => connections.take()))
  expect([new Set(clients).size, most]).toEqual([5, 1])
  give(clients)
})

test('who waits for a new connection gets one that is given back meanwhile', async () => {
  const first = await connections.take()
  const second = connections.take()
  expect(opening).toBe(1)
  connections.giveBack(first, false)
  expect([await second, opening]).toEqual([first, 1])
  give([first])
})

test('who waits beyond the last connection gets the next that is given back', async () => {
  const clients = await Promise.all(Array.from({ length: 5 }, () => connections.take()))
  const late = [connections.take(), connections.take()]
  expect(connections.state).toEqual({ total: 5, idle: 0, waiting: 2 })
  give(clients)
  const got = await Promise.all(late)
  expect(clients).toEqual(expect.arrayContaining(got))
  give(got)
})

test('a connection that nobody waits for any more when it is there goes back to a pool that is about to end', async () => {
  const first = await connections.take()
  const second = connections.take()
  connections.giveBack(first, false)
  connections.giveBack(await second, false)
  connections.close()
  await pool.end()
  expect(connections.state).toEqual({ total: 0, idle: 0, waiting: 0 })
})

test('all who wait are told when none can be opened', async () => {
  const wrong = new URL(database.readerUrl)
  wrong.port = '1'
  const nowhere = openPool(wrong.href, { max: 5 })
  const none = new Connections(nowhere)
  const told = await Promise.allSettled([none.take(), none.take(), none.take()])
  expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  none.close()
  await endPool(nowhere)
})
