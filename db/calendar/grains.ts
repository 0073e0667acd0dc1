/**
 * The grains: one record has all that is known of each, and adding one to the schema is a compile error until it is whole here.
 * Tables have the minutes of native grains, everything else has names.
 */
import type { Grain, GroupGrain, NativeGrain } from '../../schema/generated'

interface AnyGrain {
  /** The detail in which counts are read: native intervals, hours or totals of days. */
  detail: 'counts' | 'hours' | 'totals'
  maxDays: number
  /** The most buckets per day. A day of a clock change may have a few more. */
  bucketsPerDay: number
}

/** A grain in which sensors count. */
interface CountedGrain {
  minutes: number
}

/** A grain of whole days, at which assets of several time zones can be summed. */
interface GrainOfDays {
  /** Returns SQL: the first day of the bucket that has a date. */
  firstDay(date: string): string
  /** The units that make up a bucket: days since 1970-01-01, or months since year 0. */
  unit: 'day' | 'month'
  /** Returns the number of the bucket that has a unit. */
  bucketOf(unit: number): number
}

type Grains = {
  readonly [Name in Grain]: AnyGrain &
    (Name extends GroupGrain ? GrainOfDays : CountedGrain & { unit?: never }) &
    (Name extends NativeGrain ? CountedGrain : { minutes?: never })
}

const TOTALS = { detail: 'totals', maxDays: 3660 } as const

const truncatedTo = (unit: string) => (date: string) => `date_trunc('${unit}', ${date})::date`

/** From the finest to the coarsest. */
export const GRAINS: Grains = {
  minute: { minutes: 1, detail: 'counts', maxDays: 7, bucketsPerDay: 1440 },
  quarter_hour: { minutes: 15, detail: 'counts', maxDays: 105, bucketsPerDay: 96 },
  hour: { minutes: 60, detail: 'hours', maxDays: 420, bucketsPerDay: 25 },
  day: { ...TOTALS, minutes: 1440, bucketsPerDay: 1, unit: 'day', firstDay: date => date, bucketOf: day => day },
  // 1970-01-01 was a Thursday: day 4 was a Monday.
  week: {
    ...{ ...TOTALS, bucketsPerDay: 1 / 7, unit: 'day', firstDay: truncatedTo('week') },
    bucketOf: day => Math.floor((day - 4) / 7),
  },
  month: {
    ...{ ...TOTALS, bucketsPerDay: 1 / 28, unit: 'month', firstDay: truncatedTo('month') },
    bucketOf: month => month,
  },
  quarter: {
    ...{ ...TOTALS, bucketsPerDay: 1 / 90, unit: 'month', firstDay: truncatedTo('quarter') },
    bucketOf: month => Math.floor(month / 3),
  },
}

/** The lengths of the grains in which sensors count, from the finest to the coarsest. */
export const NATIVE_MINUTES = Object.fromEntries(
  Object.entries(GRAINS).flatMap(([name, { minutes }]) => (minutes === undefined ? [] : [[name, minutes]])),
) as Readonly<Record<NativeGrain, number>>

export const NATIVE_GRAINS = Object.keys(NATIVE_MINUTES) as NativeGrain[]

export const isWithinDay = (grain: Grain): grain is Exclude<Grain, GroupGrain> => GRAINS[grain].unit === undefined

/** Returns the name of the grain with intervals of this length. */
export const nativeGrain = (minutes: number): NativeGrain =>
  NATIVE_GRAINS.find(name => NATIVE_MINUTES[name] === minutes)!

/**
 * Returns SQL: whether a sensor with these native minutes is of the service's own vendor, the only one that counts
 * minutes.
 */
export const isOwn = (column: string): string => `${column} = ${NATIVE_MINUTES.minute}`

/** Returns SQL: the name of the grain with these native minutes; null stays null. */
export const grainName = (column: string): string =>
  `CASE ${column} ${NATIVE_GRAINS.map(name => `WHEN ${NATIVE_MINUTES[name]} THEN '${name}'`).join(' ')} END`

/** Returns SQL: the native minutes of the grain with this name; null stays null. */
export const grainMinutes = (column: string): string =>
  `CASE ${column} ${NATIVE_GRAINS.map(name => `WHEN '${name}' THEN ${NATIVE_MINUTES[name]}`).join(' ')} END`
