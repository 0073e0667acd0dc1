/** How a server begins to listen, and how it ends without dropping what it has accepted. */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
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

/** Accepts nothing more and finishes what was accepted; what then takes longer than `patienceMs` is cut. */
export async function closeServer(server: Server, patienceMs: number): Promise<void> {
  if (!server.listening) return
  // A connection that is kept alive becomes idle only when its last answer is out.
  const sweeping = setInterval(() => server.closeIdleConnections(), 20)
  const cutting = setTimeout(() => server.closeAllConnections(), patienceMs)
  await new Promise(resolve => server.close(resolve))
  clearInterval(sweeping)
  clearTimeout(cutting)
}
