/**
 * Rules of time zones: the UTC offsets of a zone, each with the instant from which it applies. They are data of the database, so
 * that what is stored means the same to every version of Node.js and PostgreSQL. Instants are whole seconds since 1970,
 * offsets are seconds east of UTC.
 */
import { Temporal } from 'temporal-polyfill'

/** A period in which the offset of a zone does not change: from the instant `at` to the next one. */
export interface ZoneInterval {
  at: number
  offset: number
}

/** The instant up to which rules are recorded. The last offset applies after it. */
const END_OF_RULES = Date.UTC(2100, 0, 1) / 1000

const SECONDS = 86_400

/** No offset and no clock change is longer. */
const MAX_OFFSET = 26 * 3600

let created = 0

export class ZoneRules {
  /** Tells these rules from all others of this process. */
  readonly key = ++created

  /**
   * @param version of the tz database from which they are: `2026c`
   * @param starts from which each offset applies, ascending; before the first one, the first offset applies
   */
  constructor(
    readonly zone: string,
    readonly version: string,
    readonly starts: readonly number[],
    readonly offsets: readonly number[],
  ) {}

  /** Returns the offset at an instant. */
  offsetAt(instant: number): number {
    return this.offsets[lastAtMost(this.starts, instant)]!
  }

  /** Returns the zone intervals between two instants, both inclusive. The first is cut at `from`. */
  intervals(from: number, to: number): [ZoneInterval, ...ZoneInterval[]] {
    const { starts, offsets } = this
    const intervals: [ZoneInterval, ...ZoneInterval[]] = [{ at: from, offset: this.offsetAt(from) }]
    for (let i = lastAtMost(starts, from) + 1; i < starts.length && starts[i]! <= to; i++) {
      if (offsets[i] !== intervals.at(-1)!.offset) intervals.push({ at: starts[i]!, offset: offsets[i]! })
    }
    return intervals
  }

  /** Returns the first instant at which the local date is this day, or a later one. @param number days since 1970-01-01 */
  startOfDay(number: number): number {
    const midnight = number * SECONDS
    const intervals = this.intervals(midnight - MAX_OFFSET, midnight + MAX_OFFSET)
    for (const [i, { at, offset }] of intervals.entries()) {
      const instant = Math.max(at, midnight - offset)
      if (instant < (intervals[i + 1]?.at ?? Number.POSITIVE_INFINITY)) return instant
    }
    throw new RangeError(`no instant of ${this.zone} is on the day ${number}`)
  }

  /** Returns an instant as local time with its offset, `2026-10-25T02:15+02:00`. */
  format(instant: number): string {
    const offset = this.offsetAt(instant)
    const minutes = Math.round(Math.abs(offset) / 60)
    const two = (number: number) => String(number).padStart(2, '0')
    const local = new Date((instant + offset) * 1000).toISOString().replace(/:\d\d\.\d{3}Z$/, '')
    return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
  }

  /** Returns the first instant, at or after another one, at which these rules and others have another offset; undefined without any. */
  firstDifference(other: ZoneRules, from = Number.NEGATIVE_INFINITY): number | undefined {
    const instants = new Set([from, ...this.starts, ...other.starts].filter(at => at >= from))
    return [...instants].sort((a, b) => a - b).find(at => this.offsetAt(at) !== other.offsetAt(at))
  }
}

/** Returns the index of the last of ascending numbers that is not above a value; 0 if all of them are. */
export function lastAtMost(ascending: ArrayLike<number>, value: number): number {
  let [low, high] = [0, ascending.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (ascending[middle]! <= value) low = middle
    else high = middle - 1
  }
  return low
}

/** The version of the time zone rules that this Node.js has. */
export const NODE_RULES_VERSION = process.versions.tz ?? 'unknown'

/** Returns whether `zone` is the exact name of an IANA time zone that this Node.js knows. Fixed offsets like `+01:00` are not zones. */
export function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/.test(zone)) return false
  try {
    return Temporal.PlainDate.from('2000-01-01').toZonedDateTime(zone).timeZoneId === zone
  } catch {
    return false
  }
}

/** Universal time, in which instants are read where no asset has another zone. */
export const UTC = new ZoneRules('UTC', '', [0], [0])

const nodeRules = new Map<string, ZoneRules>()

/** Returns the rules of a zone that this Node.js has. Reading them takes some 30 ms, once. */
export function readNodeRules(zone: string): ZoneRules {
  const known = nodeRules.get(zone) ?? computeNodeRules(zone)
  nodeRules.set(zone, known)
  return known
}

function computeNodeRules(zone: string): ZoneRules {
  let at = Temporal.Instant.fromEpochMilliseconds(Date.UTC(1800, 0, 1)).toZonedDateTimeISO(zone)
  const starts: number[] = []
  const offsets: number[] = []
  for (;;) {
    starts.push(at.epochMilliseconds / 1000)
    offsets.push(Math.round(at.offsetNanoseconds / 1e9))
    const next = at.getTimeZoneTransition('next')
    if (!next || next.epochMilliseconds / 1000 >= END_OF_RULES)
      return new ZoneRules(zone, NODE_RULES_VERSION, starts, offsets)
    at = next
  }
}
