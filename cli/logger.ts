/** The log on stderr: text on a terminal, else one JSON document per line. */
import pino, { type Logger } from 'pino'

export function createLogger(level: string): Logger {
  const stderr = process.stderr.isTTY
    ? (require('pino-pretty') as typeof import('pino-pretty'))({ destination: 2, sync: true, ignore: 'pid,hostname' })
    : pino.destination({ dest: 2, sync: true })
  return pino({ level, hooks: { streamWrite: redactKeys } }, stderr)
}

/** Shortens API keys that a caller put into a URL or a request id. */
const redactKeys = (line: string): string => line.replace(/(msk_(?:test|live)_)[0-9A-Za-z]+/g, '$1…')
