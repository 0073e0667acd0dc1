/** The log on stderr, one line per entry: text on a terminal, else JSON. */
import pino, { type Logger } from 'pino'
import type { PrettyOptions } from 'pino-pretty'
import { printable } from '../text/printable'

export function createLogger(level: string): Logger {
  const stderr = process.stderr.isTTY
    ? (require('pino-pretty') as typeof import('pino-pretty'))(PRETTY)
    : pino.destination({ dest: 2, sync: true })
  return pino({ level, hooks: { streamWrite: redactKeys } }, stderr)
}

const PRETTY: PrettyOptions = {
  destination: 2,
  sync: true,
  ignore: 'pid,hostname',
  hideObject: true,
  messageFormat: ({ level, time, pid, hostname, msg, err, ...fields }) => {
    const line = [msg, ...Object.entries(fields).map(([name, value]) => `${name}=${formatValue(value)}`)].join(' ')
    // Only the stack of an error has lines of its own.
    return printable(err ? `${line}\n${(err as Error).stack}` : line)
  },
}

/** Returns a value as in logfmt: in quotes where it contains more than a word. */
function formatValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /^[\w.:/+@,-]+$/.test(text) ? text : JSON.stringify(text)
}

/** Shortens API keys that a caller put into a URL or a request id. */
const redactKeys = (line: string): string => line.replace(/(msk_(?:test|live)_)[0-9A-Za-z]+/g, '$1…')
