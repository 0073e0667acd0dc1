/** Random numbers and ids that depend on a subject only, so that they are the same on every machine and every day. */
import { createHash } from 'node:crypto'
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus'

const digest = (...subject: string[]): Buffer =>
  createHash('sha256')
    .update(['partner-metrics demo 1', ...subject].join('\n'))
    .digest()

/** Returns a generator of numbers from 0 to 1, exclusive. */
export function chances(...subject: string[]): () => number {
  const hash = digest(...subject)
  const generator = xoroshiro128plusFromState([0, 4, 8, 12].map(offset => hash.readInt32LE(offset)))
  return () => (generator.next() >>> 0) / 2 ** 32
}

/** Returns the id of a row, derived from its natural key: `demo` and 20 characters. */
export function demoId(noun: string, key: string): string {
  const digits = BigInt(`0x${digest(noun, key).toString('hex', 0, 16)}`).toString(36)
  return `demo${digits.slice(-20).padStart(20, '0')}`
}
