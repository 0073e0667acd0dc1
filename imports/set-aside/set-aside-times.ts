/** Reads the times between which counts of a sensor are set aside. */
import type { LocalDayCache } from '../../db/calendar/local-day-cache'
import { dayNumber, isDate } from '../../db/calendar/local-days'
import { TimestampParser } from '../../db/calendar/timestamp-parser'
import { OperatorError } from '../../db/operator-error'
import type { Sensor } from '../counts/installations'
import { installationNear } from '../counts/intervals/installation-finder'
import { LocalTimes } from '../counts/intervals/local-times'

const DAY = 86_400

/** The instants that imports accept: 1970 to 2100, in seconds. */
const [MIN, MAX] = [0, Date.UTC(2101, 0, 1) / 1000]

/**
 * Returns a time in seconds since 1970: an instant with an offset, a local time at the asset of a sensor, or a date, which is the
 * beginning of its day there.
 *
 * @param option its name, for messages
 * @param sensor with an installation
 * @throws OperatorError INVALID_TIME
 */
export function readTime(option: string, text: string, sensor: Sensor, days: LocalDayCache): number {
  const parser = new TimestampParser()
  const isDay = isDate(text)
  const given = `${option} ${JSON.stringify(text)}`
  if (!isDay && !parser.parse(text)) {
    const forms = 'a date, a local time at the asset such as 2026-10-25T08:00, or one with its offset'
    throw invalid(`${given} is not a time: give ${forms}`)
  }
  const { day, second, offset, millisecond } = parser
  if (millisecond !== 0) throw invalid(`${given} has a fraction of a second: give a whole one`)
  const times = isDay
    ? listStarts(dayNumber(text), sensor, days)
    : offset === undefined
      ? new LocalTimes(days, true).listInstants(sensor, day, second)
      : [day * DAY + second - offset]
  const [time, other] = times
  if (time === undefined) throw invalid(`${given} is a local time that the clock change skips: give another one`)
  if (other !== undefined) {
    const both = [time, other].map(each => days.format(installationNear(sensor, each).zone, each))
    throw invalid(`${given} is two instants: give ${both.join(' or ')}`)
  }
  if (time < MIN || time >= MAX) throw invalid(`${given} is not between 1970 and 2100`)
  return time
}

/** Returns when a date begins at the asset; more than once where the sensor is in another zone then. */
function listStarts(day: number, sensor: Sensor, days: LocalDayCache): number[] {
  const zones = [...new Set(sensor.installations.map(({ zone }) => zone))]
  const starts = zones.flatMap(zone => {
    const { start, end } = days.day(zone, day)
    return start < end && installationNear(sensor, start).zone === zone ? [start] : []
  })
  return [...new Set(starts)]
}

const invalid = (message: string): OperatorError => new OperatorError('INVALID_TIME', message)
