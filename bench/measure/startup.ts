/** Measures the time from the start of `serve` to its first response, on an embedded database of its own. */
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { get } from '../load/load'
import { SERVICE } from '../paths'
import { residentMemory } from '../servers/processes'
import { listeningPort, terminate } from '../servers/targets'
import { sendRequest } from './send-request'

export interface Startup {
  name: string
  /** Seconds from the start of the process until it listens, and until it has answered from the database. */
  listening: number
  ready: number
  /** Resident memory of the node process when it is ready, in megabytes. */
  memory: number
}

/** On a new database and on the existing one; with the demo data, too, if requested. */
export async function measureStartups(demo: boolean): Promise<Startup[]> {
  const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-start-'))
  chmodSync(directory, 0o755)
  try {
    const dev = { DATA_DIR: join(directory, 'dev'), METRICS_ENV: 'dev' }
    const production = { DATA_DIR: join(directory, 'production'), METRICS_ENV: 'production' }
    return [
      ...(demo ? [await measureStartup('first, with the demo', dev), await measureStartup('again', dev)] : []),
      await measureStartup('first, without the demo', production),
      await measureStartup('again', production),
    ]
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function measureStartup(name: string, settings: Record<string, string>): Promise<Startup> {
  const started = performance.now()
  const seconds = () => (performance.now() - started) / 1000
  const child = spawn(process.execPath, [SERVICE, 'serve'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH, ...settings, PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'warn' },
  })
  try {
    const port = await listeningPort(name, child)
    const listening = seconds()
    const { status } = await sendRequest(port, get('/readyz', ''))
    if (status !== 200) throw new Error(`${name}: /readyz returned ${status}`)
    return { name, listening, ready: seconds(), memory: residentMemory(child.pid as number) }
  } finally {
    await terminate(child)
  }
}
