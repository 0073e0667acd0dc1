/**
 * The text of an API key: `msk_test_` or `msk_live_`, 32 random base62 characters, and 6 that are the CRC-32 of all that
 * stands before them, so that a mistyped key is known as such without a query. Only the hash of a key is ever stored.
 */
import { hash, randomInt } from 'node:crypto'
import { str as crc32 } from 'crc-32'

/** Where keys are good: each environment has its own. */
export type Environment = 'dev' | 'production'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const PREFIXES = { dev: 'msk_test_', production: 'msk_live_' } as const

/** With what the keys of an environment begin. */
export const prefixOf = (environment: Environment): string => PREFIXES[environment]

/** A new key, from the system's CSPRNG. */
export function makeKey(environment: Environment): string {
  const random = Array.from({ length: 32 }, () => BASE62[randomInt(62)]).join('')
  return withChecksum(prefixOf(environment) + random)
}

/** Whether a text can be a key at all. */
export function isWellFormed(key: string): boolean {
  return /^msk_(test|live)_[0-9A-Za-z]{38}$/.test(key) && withChecksum(key.slice(0, -6)) === key
}

/** SHA-256 of the whole key: all that is stored of it. By way of a text, since Node makes that in half the time. */
export const keyHash = (key: string): Buffer => Buffer.from(hash('sha256', key, 'binary'), 'binary')

function withChecksum(text: string): string {
  let rest = crc32(text) >>> 0
  let checksum = ''
  for (let i = 0; i < 6; i++) {
    checksum = BASE62[rest % 62] + checksum
    rest = Math.floor(rest / 62)
  }
  return text + checksum
}
