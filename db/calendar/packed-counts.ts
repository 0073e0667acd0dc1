/**
 * Packs the counts of a sensor-day into bytes.
 *
 * A packed list of n whole numbers has n × width bytes, little-endian. The width is the smallest of 1, 2, 4 and 6 bytes
 * that fits all numbers. It is not stored: n is known from the calendar, so the width follows from the length. A missing
 * count is all bits set. Hours are n bytes with the number of observed native intervals of each hour, followed by the
 * packed list of their sums.
 */

import { type Day, listStarts } from './local-days'

/** In unpacked lists: an interval without a count. */
export const MISSING = -1

/** The largest count of one interval, home city or group. Sums stay below Number.MAX_SAFE_INTEGER. */
export const MAX_COUNT = 2_147_483_647

const WIDTHS = [1, 2, 4, 6] as const

/** Packs counts, which may be MISSING. */
export function pack(counts: ArrayLike<number>): Buffer {
  let max = 0
  for (let i = 0; i < counts.length; i++) if (counts[i]! > max) max = counts[i]!
  const width = WIDTHS.find(w => max < 2 ** (8 * w) - 1)
  if (width === undefined) throw new RangeError(`a count of ${max} cannot be packed`)
  const bytes = Buffer.alloc(counts.length * width, 0xff)
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i]!
    if (count !== MISSING) bytes.writeUIntLE(count, i * width, width)
  }
  return bytes
}

/** Unpacks the `length` counts of `bytes`. */
export function unpack(bytes: Buffer, length: number): Float64Array {
  const counts = new Float64Array(length)
  const width = bytes.length / length
  if (width === 1) {
    for (let i = 0; i < length; i++) {
      const byte = bytes[i]!
      counts[i] = byte === 0xff ? MISSING : byte
    }
    return counts
  }
  if (width === 2) {
    for (let i = 0, byte = 0; i < length; i++, byte += 2) {
      const count = bytes[byte]! | (bytes[byte + 1]! << 8)
      counts[i] = count === 0xffff ? MISSING : count
    }
    return counts
  }
  if (!WIDTHS.includes(width as 1)) throw new RangeError(`${bytes.length} bytes are not ${length} counts`)
  const missing = 2 ** (8 * width) - 1
  for (let i = 0; i < length; i++) {
    const count = bytes.readUIntLE(i * width, width)
    counts[i] = count === missing ? MISSING : count
  }
  return counts
}

/**
 * Adds the hours of a day with `length` of them to the sums and the observed intervals of buckets, from a bucket on.
 *
 * @throws RangeError for bytes that are not the hours of such a day
 */
export function addHours(
  bytes: Buffer,
  length: number,
  { sums, observed }: { sums: Float64Array; observed: Int32Array },
  first: number,
): void {
  const width = bytes.length / length - 1
  if (!WIDTHS.includes(width as 1)) throw new RangeError(`${bytes.length} bytes are not ${length} hours`)
  for (let hour = 0, byte = length; hour < length; hour++, byte += width) {
    // An hour without observed intervals has no sum.
    if (bytes[hour] === 0) continue
    sums[first + hour]! += width === 2 ? bytes[byte]! | (bytes[byte + 1]! << 8) : bytes.readUIntLE(byte, width)
    observed[first + hour]! += bytes[hour]!
  }
}

export interface PackedDay {
  impressions: number
  /** Intervals with a count. */
  observed: number
  hours: Buffer
  counts: Buffer
}

/**
 * Packs a day.
 *
 * @param starts seconds from the start of the day to the start of each native interval
 * @param counts one for each of them, MISSING allowed
 */
export function packDay(day: Day, starts: readonly number[], counts: ArrayLike<number>): PackedDay {
  const hourStarts = listStarts(day, 60)
  const sums = new Float64Array(hourStarts.length).fill(MISSING)
  const observedIn = new Uint8Array(hourStarts.length)
  let [impressions, observed, hour] = [0, 0, 0]
  for (let i = 0; i < starts.length; i++) {
    while ((hourStarts[hour + 1] ?? Number.POSITIVE_INFINITY) <= (starts[i] as number)) hour++
    const count = counts[i] as number
    if (count === MISSING) continue
    sums[hour] = Math.max(0, sums[hour] as number) + count
    observedIn[hour] = (observedIn[hour] as number) + 1
    impressions += count
    observed++
  }
  return { impressions, observed, hours: Buffer.concat([observedIn, pack(sums)]), counts: pack(counts) }
}
