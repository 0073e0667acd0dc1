/**
 * The text of API keys: `msk_test_` or `msk_live_`, 32 random base62 characters, and a CRC-32 of everything before in 6
 * base62 characters, so that a mistyped key is rejected without a query. Only the hash of a key is stored.
 */
import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** A key is valid in one environment only. */
export type Environment = 'dev' | 'production'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export const KEY_PREFIXES = { dev: 'msk_test_', production: 'msk_live_' } as const

/** Returns a new key, from the CSPRNG of the system. */
export function makeKey(environment: Environment): string {
  const random = Array.from({ length: 32 }, () => BASE62[randomInt(62)]).join('')
  return withChecksum(KEY_PREFIXES[environment] + random)
}

/** Returns whether a text has the form and checksum of a key. */
export function isWellFormed(key: string): boolean {
  return /^msk_(test|live)_[0-9A-Za-z]{38}$/.test(key) && withChecksum(key.slice(0, -6)) === key
}

/** SHA-256 of the whole key. As a binary string first, which takes Node half the time. */
export const keyHash = (key: string): Buffer => Buffer.from(hash('sha256', key, 'binary'), 'binary')

function withChecksum(text: string): string {
  let remaining = crc32(text)
  let checksum = ''
  for (let i = 0; i < 6; i++) {
    checksum = BASE62[remaining % 62] + checksum
    remaining = Math.floor(remaining / 62)
  }
  return text + checksum
}
