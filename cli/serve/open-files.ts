/** Warns if the operating system lets a process open fewer files than it may have connections. */
import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import type { Settings } from '../settings'

/** Files of a process besides its connections to clients and its pool: code, logs, pipes, connections of its own. */
const OTHER_FILES = 100

/** Names the limit in the log. Node has raised it to the hard limit already. Only Linux shows it to a process. */
export function warnOfOpenFiles(log: Logger, settings: Settings, limits = readLimits()): void {
  const [, limit = Number.POSITIVE_INFINITY] = /^Max open files +(\d+)/m.exec(limits) ?? []
  const { maxConnections, poolSize } = settings
  const needed = maxConnections + poolSize + OTHER_FILES
  if (Number(limit) >= needed) return
  log.warn(
    { limit: Number(limit), needed, max_connections: maxConnections },
    'fewer files may be open than MAX_CONNECTIONS needs, so that connections would be refused: raise the limit ' +
      '(LimitNOFILE of systemd, ulimit -n), or lower MAX_CONNECTIONS',
  )
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}
