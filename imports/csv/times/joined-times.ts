/** Reads times that columns of a file make up together: dates, hours and numbers of intervals. */
import { NATIVE_MINUTES } from '../../../db/calendar/grains'
import { isDate } from '../../../db/calendar/local-days'
import type { ReadTime } from './time-tokens'

/** The grains of intervals that are numbered within a day. */
export const NUMBERED_GRAINS = ['minute', 'quarter_hour', 'hour'] as const
export type NumberedGrain = (typeof NUMBERED_GRAINS)[number]

/** The midnight of a date-time in place of a date. */
const MIDNIGHT = '[T ](?:0?0:00(?::00(?:[.,]0+)?)?|12:00(?::00)? ?AM)'
const MIDNIGHT_BEFORE_TIME = new RegExp(`^(.*?)${MIDNIGHT}(?= \\d)`, 'i')
export const MIDNIGHT_AT_END = new RegExp(`${MIDNIGHT}$`, 'i')

const HOUR_WITH_DECIMALS = /(?<=^|[T ])(\d{1,2})[.,]0+(?=$| )/

/** Reads a date-time at midnight and a time of its day where a format does not read the text; `8.0` is an hour too. */
export const readDateAndTime =
  (read: ReadTime, isJoined: boolean): ReadTime =>
  text => {
    const time = read(text)
    if (time !== undefined) return time
    const withoutMidnight = isJoined ? text.replace(MIDNIGHT_BEFORE_TIME, '$1') : text
    const plain = withoutMidnight.replace(HOUR_WITH_DECIMALS, '$1')
    return plain === text ? undefined : read(plain)
  }

/** Reads a date and the number of an interval of its day. */
export function readNumbered(read: ReadTime, grain: NumberedGrain, first: number): ReadTime {
  const minutes = NATIVE_MINUTES[grain]
  const readDate = (text: string) => {
    const date = read(text) ?? read(text.replace(MIDNIGHT_AT_END, ''))
    return date?.replace(MIDNIGHT_AT_END, '')
  }
  return text => {
    const [, dateText = '', number] = /^(.*\S)\s+(\d{1,4})(?:[.,]0+)?$/.exec(text) ?? []
    const minute = (Number(number) - first) * minutes
    const date = minute >= 0 && minute < 24 * 60 ? readDate(dateText) : undefined
    if (date === undefined || !isDate(date)) return undefined
    const time = [Math.floor(minute / 60), minute % 60].map(part => String(part).padStart(2, '0'))
    return `${date}T${time.join(':')}:00`
  }
}

/** Returns what such texts are, in words that complete "… must be". */
export function describeNumbered(grain: NumberedGrain, first: number): string {
  const last = (24 * 60) / NATIVE_MINUTES[grain] - 1 + first
  return `the number of a ${grain.replace('_', ' ')} from ${first} to ${last} (--interval-number)`
}
