/** Starts a service whose start waits for a lock, so that a request comes while it is starting. */
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { Command, type Env } from './command'
import { freePort } from './free-port'

/** Returns the service, and the response to a request that it received before it served. */
export async function startWhileLocked(env: Env): Promise<{ service: Command; response: Promise<string> }> {
  const port = await freePort()
  const blocker = new Client({ connectionString: env.DATABASE_URL })
  await blocker.connect()
  await blocker.query('BEGIN; LOCK TABLE service IN ACCESS EXCLUSIVE MODE')
  const service = new Command(['serve'], { ...env, PORT: `${port}` })
  let socket: Socket | undefined
  while (!socket) {
    await sleep(20)
    socket = await open(port)
  }
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  const response = text(socket)
  expect(service.stdout).toBe('')
  await blocker.end()
  return { service, response }
}

/** Returns a connection; undefined where it is refused. */
const open = (port: number): Promise<Socket | undefined> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
    socket.on('error', () => resolve(undefined))
  })
