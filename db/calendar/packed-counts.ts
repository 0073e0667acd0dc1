/**
 * Packs the counts of a sensor-day into bytes.
 *
 * A packed list of n whole numbers has n × width bytes, little-endian. The width is the smallest of 1, 2, 4 and 6 bytes
 * that fits all numbers. It is not stored: n is known from the calendar, so the width follows from the length. A missing
 * count is all bits set. Hours are n bytes with the number of observed native intervals of each hour, followed by the
 * packed list of their sums.
 */

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

/** Unpacks the `length` counts from `offset` to the end of `bytes`. */
export function unpack(bytes: Buffer, length: number, offset = 0): Float64Array {
  const counts = new Float64Array(length)
  const width = (bytes.length - offset) / length
  if (width === 1) {
    for (let i = 0; i < length; i++) {
      const byte = bytes[offset + i]!
      counts[i] = byte === 0xff ? MISSING : byte
    }
    return counts
  }
  if (width === 2) {
    for (let i = 0, byte = offset; i < length; i++, byte += 2) {
      const count = bytes[byte]! | (bytes[byte + 1]! << 8)
      counts[i] = count === 0xffff ? MISSING : count
    }
    return counts
  }
  if (!WIDTHS.includes(width as 1)) throw new RangeError(`${bytes.length - offset} bytes are not ${length} counts`)
  const missing = 2 ** (8 * width) - 1
  for (let i = 0; i < length; i++) {
    const count = bytes.readUIntLE(offset + i * width, width)
    counts[i] = count === missing ? MISSING : count
  }
  return counts
}

/** Packs hours: their sums, which may be MISSING, and their numbers of observed native intervals (0 to 60). */
export function packHours(sums: ArrayLike<number>, observed: Uint8Array): Buffer {
  return Buffer.concat([observed, pack(sums)])
}

/** Unpacks the hours of a day with `length` of them. */
export function unpackHours(bytes: Buffer, length: number): { sums: Float64Array; observed: Uint8Array } {
  return { sums: unpack(bytes, length, length), observed: bytes.subarray(0, length) }
}
