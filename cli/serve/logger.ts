/** The log on stderr, one JSON document per line. */
import pino, { type Logger } from 'pino'

export const createLogger = (level: string): Logger =>
  pino({ level, hooks: { streamWrite: redactKeys } }, pino.destination({ dest: 2, sync: true }))

/** Shortens API keys that a caller put into a URL or a request id. */
const redactKeys = (line: string): string => line.replace(/(msk_(?:test|live)_)[0-9A-Za-z]+/g, '$1…')
