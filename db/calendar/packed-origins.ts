/**
 * Packs the origins of an asset-day into bytes. The first byte has the widths in bytes of the two numbers of an entry, in a
 * hexadecimal digit each. Every entry follows: the index of a place in the list of its month, and the impressions, both
 * big-endian. Packed days are text here, `\x` and two hexadecimal digits a byte, as PostgreSQL reads and writes bytes.
 * The view `origins` of the database unpacks them.
 */

/** The impressions of a day by index of the place. */
type PlaceCounts = Map<number, number>

const WIDTHS = [1, 2, 4, 6] as const

const PREFIX = '\\x'

/** Packs the places of a day, of which there is at least one, by ascending index. */
export function packOrigins(counts: PlaceCounts): string {
  const entries = [...counts].sort(([a], [b]) => a - b)
  const [indexDigits, countDigits] = [0, 1].map(i => 2 * widthOf(Math.max(...entries.map(entry => entry[i]!))))
  const digits = entries.map(
    ([index, count]) => index.toString(16).padStart(indexDigits!, '0') + count.toString(16).padStart(countDigits!, '0'),
  )
  return `${PREFIX}${indexDigits! / 2}${countDigits! / 2}${digits.join('')}`
}

const widthOf = (max: number): number => WIDTHS.find(width => max < 256 ** width) as number

export function unpackOrigins(packed: string): PlaceCounts {
  const counts: PlaceCounts = new Map()
  forEachOrigin(packed, (index, count) => counts.set(index, count))
  return counts
}

/** Calls `use` for each entry of days that follow each other without a separator, and returns the number of days. */
export function forEachOrigin(packedDays: string, use: (index: number, count: number) => void): number {
  let days = 0
  let at = 0
  while (at < packedDays.length) {
    const indexDigits = 2 * readDigits(packedDays, at + PREFIX.length, 1)
    const countDigits = 2 * readDigits(packedDays, at + PREFIX.length + 1, 1)
    at += PREFIX.length + 2
    while (at < packedDays.length && packedDays.charCodeAt(at) !== BACKSLASH) {
      use(readDigits(packedDays, at, indexDigits), readDigits(packedDays, at + indexDigits, countDigits))
      at += indexDigits + countDigits
    }
    days++
  }
  return days
}

const BACKSLASH = 0x5c

function readDigits(text: string, from: number, length: number): number {
  let number = 0
  for (let i = from; i < from + length; i++) {
    const code = text.charCodeAt(i)
    // Digits have the codes 48 to 57, the letters a to f 97 to 102.
    number = number * 16 + (code < 58 ? code - 48 : code - 87)
  }
  return number
}
