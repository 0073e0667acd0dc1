/** How a server begins to listen, and how it ends without dropping what it has accepted. */
import type { Server } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorFault } from '../db/operator-fault'

/**
 * Listens, and tells where: `http://HOST:PORT`.
 *
 * @param port 0 picks one
 * @param setting the name of the setting that the port comes from
 * @throws OperatorFault when the address cannot be had
 */
export async function listen(server: Server, host: string, port: number, setting: string): Promise<string> {
  const place = host.includes(':') ? `[${host}]` : host
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port }, resolve)
    })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === 'EADDRINUSE' ? 'it is in use' : message
    throw new OperatorFault('CANNOT_LISTEN', `cannot listen on ${place}:${port} (${setting}): ${reason}`)
  }
  return `http://${place}:${(server.address() as AddressInfo).port}`
}

/** A request may be on its way on a connection that looks idle: it is closed only when it was quiet for so long. */
const QUIET_MS = 300

/** Accepts nothing more and finishes what was accepted; what then takes longer than `patienceMs` is cut. */
export async function closeServer(server: Server, patienceMs: number): Promise<void> {
  if (!server.listening) return
  const cutting = setTimeout(() => server.closeAllConnections(), patienceMs)
  // Node's own close of an HTTP server would cut what is idle at once.
  const closed = new Promise(resolve => NetServer.prototype.close.call(server, resolve))
  await Promise.race([closed, sleep(QUIET_MS)])
  const sweeping = setInterval(() => server.closeIdleConnections(), 20)
  await closed
  clearInterval(sweeping)
  clearTimeout(cutting)
}
