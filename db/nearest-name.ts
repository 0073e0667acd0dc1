/** Finds the name that was probably meant by one that is unknown, for error messages. */
import { distance } from 'fastest-levenshtein'
import { quote } from './file-errors'

/** Below this length, names with other digits are names of other things, like S1 and S2. */
const MIN_LENGTH_OF_ID = 16

/** Longer names are not compared: the time grows with the product of the lengths. */
const MAX_LENGTH = 200

/**
 * Returns the candidate that is most like a name: the same one in other letters or punctuation, else one that continues
 * it or that it continues, else the one with the fewest typing errors.
 *
 * @returns undefined where none is alike, or the name is a candidate itself
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = simplified(name)
  if (wanted === '' || wanted.length > MAX_LENGTH) return undefined
  let nearest: string | undefined
  let lowest = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    if (candidate === name) return undefined
    const difference = measureDifference(wanted, simplified(candidate))
    if (difference < lowest) {
      nearest = candidate
      lowest = difference
    }
  }
  return nearest
}

/** `: did you mean "…"?` for the end of a message; empty without a nearest name. */
export function suggestion(name: string, candidates: Iterable<string>): string {
  const nearest = nearestName(name, candidates)
  return nearest === undefined ? '' : `: did you mean ${quote(nearest)}?`
}

/** Returns Infinity for names that are not alike. Differences of beginnings are below one error. */
function measureDifference(wanted: string, candidate: string): number {
  if (candidate === wanted) return 0
  if (candidate === '' || candidate.length > MAX_LENGTH) return Number.POSITIVE_INFINITY
  if (wanted.length < MIN_LENGTH_OF_ID && extractDigits(wanted) !== extractDigits(candidate))
    return Number.POSITIVE_INFINITY
  const [short, long] = candidate.length < wanted.length ? [candidate, wanted] : [wanted, candidate]
  const extra = long.length - short.length
  if (short.length >= 3 && long.startsWith(short)) return extra / (MAX_LENGTH + 1)
  // Two letters that changed places count as two errors.
  const allowed = wanted.length < 5 ? 1 : Math.max(2, Math.floor(wanted.length / 4))
  if (extra > allowed || wanted.length < 3) return Number.POSITIVE_INFINITY
  const errors = distance(wanted, candidate)
  return errors <= allowed ? errors : Number.POSITIVE_INFINITY
}

const extractDigits = (name: string): string => name.replace(/\P{N}/gu, '')

/** Without case, accents, and punctuation. */
const simplified = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
