/**
 * Local days and hours as the contract defines them. Instants are seconds since 1970, days are numbers since 1970-01-01. Offsets are those
 * that Intl has, unless a history has other rules in force.
 */

export type Grain = 'minute' | 'quarter_hour' | 'hour' | 'day'
export type Bucket = Grain | 'week' | 'month' | 'quarter'

export const SECONDS: Record<Grain, number> = { minute: 60, quarter_hour: 900, hour: 3600, day: 86_400 }

export const GRAINS = Object.keys(SECONDS) as Grain[]

const DAY = 86_400

export const dateOf = (day: number): string => new Date(day * DAY * 1000).toISOString().slice(0, 10)

export const dayOf = (date: string): number => Date.parse(date) / DAY / 1000

export const isoOf = (instant: number): string => new Date(instant * 1000).toISOString().replace('.000Z', 'Z')

export const days = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i)

/** Returns the first day of the week, month or quarter of a day. */
export function periodOf(day: number, bucket: Bucket): number {
  const date = new Date(day * DAY * 1000)
  if (bucket === 'week') return day - ((date.getUTCDay() + 6) % 7)
  const month = bucket === 'quarter' ? Math.floor(date.getUTCMonth() / 3) * 3 : date.getUTCMonth()
  return bucket === 'month' || bucket === 'quarter' ? Date.UTC(date.getUTCFullYear(), month, 1) / DAY / 1000 : day
}

/** Rules that differ from those of Node: so many seconds more from an instant on. */
export interface Shift {
  from: number
  seconds: number
}

/** Returns the seconds of an offset: `1/1/2026, GMT+05:45`. */
function parseOffset(text: string): number {
  const [, sign, hours = 0, minutes = 0] = /GMT(?:([+-])(\d\d):(\d\d))?$/.exec(text) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60)
}

/** The calendar of a time zone under some rules. */
export class Calendar {
  private readonly clock: Intl.DateTimeFormat
  private readonly offsets = new Map<number, number>()
  private readonly begins = new Map<number, number>()
  private readonly grids = new Map<string, number[]>()

  private constructor(
    readonly zone: string,
    private readonly shift: Shift | undefined,
  ) {
    this.clock = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
  }

  private static readonly known = new Map<string, Calendar>()

  static of(zone: string, shift?: Shift): Calendar {
    const name = `${zone} ${shift?.from} ${shift?.seconds}`
    const calendar = Calendar.known.get(name) ?? new Calendar(zone, shift)
    Calendar.known.set(name, calendar)
    return calendar
  }

  /** Returns the offset in seconds. Clocks change at whole quarters of an hour. */
  offset(instant: number): number {
    const quarter = Math.floor(instant / 900)
    let offset = this.offsets.get(quarter)
    if (offset === undefined) {
      offset = parseOffset(this.clock.format(quarter * 900_000))
      if (this.shift && instant >= this.shift.from) offset += this.shift.seconds
      this.offsets.set(quarter, offset)
    }
    return offset
  }

  /** Returns the local day of an instant. */
  day(instant: number): number {
    return Math.floor((instant + this.offset(instant)) / DAY)
  }

  /** Returns the first instant whose local date is a day, or a later one. */
  start(day: number): number {
    let start = this.begins.get(day)
    if (start === undefined) {
      start = day * DAY - 27 * 3600
      while (this.day(start) < day) start += 900
      this.begins.set(day, start)
    }
    return start
  }

  end(day: number): number {
    return this.start(day + 1)
  }

  /** Returns RFC 3339 with the offset. */
  format(instant: number): string {
    const offset = this.offset(instant)
    const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
    const local = new Date((instant + offset) * 1000).toISOString().slice(0, 19)
    const [sign, size] = [offset < 0 ? '-' : '+', Math.abs(offset)]
    return `${local}${sign}${two(size / 3600)}:${two((size % 3600) / 60)}`
  }

  /** Returns the starts of the native intervals, or of the buckets, of a local day. */
  starts(day: number, grain: Grain): number[] {
    const name = `${day} ${grain}`
    let starts = this.grids.get(name)
    if (!starts) {
      const [begin, end] = [this.start(day), this.end(day)]
      if (grain === 'day') starts = end > begin ? [begin] : []
      else {
        const step = Math.min(SECONDS[grain], 900)
        starts = Array.from({ length: (end - begin) / step }, (_, i) => begin + i * step)
        if (grain === 'hour') starts = starts.filter(at => at === begin || this.beginsHour(at))
      }
      this.grids.set(name, starts)
    }
    return starts
  }

  /** Returns whether an interval of a grain begins at an instant. */
  isStart(instant: number, grain: Grain): boolean {
    return this.starts(this.day(instant), grain).includes(instant)
  }

  hourOfWeek(instant: number): number {
    const local = new Date((instant + this.offset(instant)) * 1000)
    return ((local.getUTCDay() + 6) % 7) * 24 + local.getUTCHours()
  }

  private beginsHour(instant: number): boolean {
    const offset = this.offset(instant)
    return (instant + offset) % 3600 === 0 || this.offset(instant - 1) !== offset
  }
}
