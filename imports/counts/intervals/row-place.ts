/** Finds the interval to which a row belongs, or the reason why it belongs to none. */
import type { BufferedDay } from '../count-buffer'
import type { RepeatedDay } from './repeated-hours'

/** The interval of a row, or with `sumToGrain` the second of the day. */
export interface FoundInterval {
  kind: 'interval'
  day: BufferedDay
  interval: number
}

/**
 * The reason why a row belongs to no interval: its local time does not exist (`skipped`), is `outside` of the sensor's
 * installations or in the future, or the row is `faulty`. An empty value may be skipped or outside.
 */
export interface NoInterval {
  kind: 'skipped' | 'outside' | 'faulty'
  reason: string
}

/** The rows of one of two passes, or of one of two names of an end: only the whole file shows which. */
interface RepeatedTime {
  kind: 'repeated'
  rows: RepeatedDay
  second: number
}

export type RowPlace = FoundInterval | RepeatedTime | NoInterval

export const SKIPPED: NoInterval = {
  kind: 'skipped',
  reason: 'start is a local time that the clock change skips: --skipped-hour drop leaves it out',
}
export const AT_NO_ASSET: NoInterval = {
  kind: 'outside',
  reason:
    'start is a local time that none of its assets had while the sensor was there, because it was moved: give it an offset',
}
export const AT_TWO_ASSETS: NoInterval = {
  kind: 'outside',
  reason:
    'start is a local time at each of two assets, because the sensor was moved: give it an offset, which says at which',
}
export const BEGUN_ELSEWHERE: NoInterval = {
  kind: 'outside',
  reason: 'start is part of an interval that began before the sensor was moved to this asset',
}

export const faulty = (reason: string): NoInterval => ({ kind: 'faulty', reason })
