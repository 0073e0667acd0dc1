/**
 * All chance of the demo. A draw depends on the demo's seed and on what it is about (a sensor and a date, say), never on
 * the order of the work or on the day of loading: a calendar date has the same numbers on every machine and for good.
 */
import { createHash } from 'node:crypto'
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus'

const SEED = 'partner-metrics demo 1'

const digest = (about: readonly string[]): Buffer =>
  createHash('sha256')
    .update([SEED, ...about].join('\n'))
    .digest()

/** A source of signed 32-bit whole numbers for what the words say it is about. */
export function bits(...about: string[]): () => number {
  const hash = digest(about)
  const generator = xoroshiro128plusFromState([0, 4, 8, 12].map(at => hash.readInt32LE(at)))
  return () => generator.next()
}

/** A source of numbers from 0 up to, without, 1 for what the words say it is about. */
export function chances(...about: string[]): () => number {
  const next = bits(...about)
  return () => (next() >>> 0) / 2 ** 32
}

/** The identifier of a demo row, made from its natural key: `demo` and 20 more characters, shaped like a cuid. */
export function demoId(noun: string, key: string): string {
  return `demo${BigInt(`0x${digest([noun, key]).toString('hex', 0, 16)}`)
    .toString(36)
    .slice(-20)
    .padStart(20, '0')}`
}

/** A serial number that no two sensors of the demo share. */
export function demoSerial(prefix: string, ...about: string[]): string {
  return `${prefix}-${digest(['serial', ...about])
    .toString('hex', 0, 4)
    .toUpperCase()}`
}
