/** A server that refuses every login, as PostgreSQL does while it has no connection left, counts the attempts. */
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { keyHash, makeKey } from '../../../db/api-keys/key-format'
import { ReaderPool } from '../../../db/postgres/reader-pool'

const LIMITS = { connections: 10, statementTimeoutMs: 5_000, connectTimeoutMs: 10_000 }

/** The time between two attempts. A timer of the test may be a bit early. */
const PAUSE_MS = 99

/** PostgreSQL's response to a login that finds no connection left. */
const TOO_MANY_CLIENTS = (() => {
  const fields = Buffer.from('SFATAL\0VFATAL\0C53300\0Msorry, too many clients already\0\0')
  const header = Buffer.from('E....')
  header.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([header, fields])
})()

test('requests that PostgreSQL has no connection for fail at once, and cost it a login every 100 ms, not one each', async () => {
  let refused = 0
  const server = createServer(client => {
    refused++
    client.on('error', () => {}).once('data', () => client.end(TOO_MANY_CLIENTS))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const pool = new ReaderPool(`postgres://u:p@127.0.0.1:${(server.address() as AddressInfo).port}/d`, LIMITS)
  const read = () => pool.readerFor(keyHash(makeKey('dev'))).authenticate()
  try {
    const start = performance.now()
    for (let i = 0; i < 30; i++) {
      const ended = await Promise.allSettled(Array.from({ length: 10 }, read))
      for (const each of ended) expect(each).toMatchObject({ reason: { code: 'UNAVAILABLE' } })
      await sleep(10)
    }
    expect(refused).toBeGreaterThan(LIMITS.connections)
    expect(refused).toBeLessThanOrEqual(LIMITS.connections + (performance.now() - start) / PAUSE_MS + 1)
  } finally {
    await pool.close()
    server.close()
  }
})
