/** Logs, on stderr: lines for people at a terminal, else one JSON document a line. */
import pino, { type Logger } from 'pino'

export function openLog(level: string): Logger {
  const stderr = process.stderr.isTTY
    ? (require('pino-pretty') as typeof import('pino-pretty'))({ destination: 2, sync: true, ignore: 'pid,hostname' })
    : pino.destination({ dest: 2, sync: true })
  return pino({ level, hooks: { streamWrite: withoutKeys } }, stderr)
}

/** A key that a caller put where none belongs, in an address or a request id, is cut short. */
const withoutKeys = (line: string): string => line.replace(/(msk_(?:test|live)_)[0-9A-Za-z]+/g, '$1…')
