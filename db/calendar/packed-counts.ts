/**
 * How the counts of a sensor-day are packed into bytes. A packed list holds n whole numbers in n × width bytes, little
 * endian, width being the smallest of 1, 2, 4 and 6 that holds them all; n is known from the calendar, so that the width
 * follows from the length. Missing is all bits set, which no count reaches. Hours are two such lists behind each other:
 * n bytes that say how many native intervals of each hour were observed, then the packed sums (missing where none was).
 */

/** Stands for an interval that no sensor observed, in unpacked lists. Observed counts are 0 or more. */
export const MISSING = -1

/** The largest count that one interval, home city or group may have, so that sums stay safe to count with. */
export const MAX_COUNT = 2_147_483_647

const WIDTHS = [1, 2, 4, 6] as const

/** Packs counts (MISSING allowed). */
export function pack(counts: ArrayLike<number>): Buffer {
  let max = 0
  for (let i = 0; i < counts.length; i++) if ((counts[i] as number) > max) max = counts[i] as number
  const width = WIDTHS.find(w => max < 2 ** (8 * w) - 1)
  if (width === undefined) throw new RangeError(`a count of ${max} cannot be packed`)
  const bytes = Buffer.alloc(counts.length * width, 0xff)
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i] as number
    if (count !== MISSING) bytes.writeUIntLE(count, i * width, width)
  }
  return bytes
}

/** Unpacks `length` counts that start at `offset`; MISSING where nothing was observed. */
export function unpack(bytes: Buffer, length: number, offset = 0): Float64Array {
  const counts = new Float64Array(length)
  const width = (bytes.length - offset) / length
  if (width === 1) {
    for (let i = 0; i < length; i++) {
      const byte = bytes[offset + i] as number
      counts[i] = byte === 0xff ? MISSING : byte
    }
    return counts
  }
  if (width === 2) {
    for (let i = 0, at = offset; i < length; i++, at += 2) {
      const count = (bytes[at] as number) | ((bytes[at + 1] as number) << 8)
      counts[i] = count === 0xffff ? MISSING : count
    }
    return counts
  }
  if (!WIDTHS.includes(width as 1)) throw new RangeError(`${bytes.length - offset} bytes do not hold ${length} counts`)
  const missing = 2 ** (8 * width) - 1
  for (let i = 0; i < length; i++) {
    const count = bytes.readUIntLE(offset + i * width, width)
    counts[i] = count === missing ? MISSING : count
  }
  return counts
}

/** Packs a day's hours: `sums` (MISSING allowed) and how many native intervals of each were observed (0 to 60). */
export function packHours(sums: ArrayLike<number>, observed: Uint8Array): Buffer {
  return Buffer.concat([observed, pack(sums)])
}

/** The reverse of packHours, for a day of `length` hour buckets. */
export function unpackHours(bytes: Buffer, length: number): { sums: Float64Array; observed: Uint8Array } {
  return { sums: unpack(bytes, length, length), observed: bytes.subarray(0, length) }
}
