/** Impressions from rows: whose count it is, of which interval, and how many. */
import type { ClientBase } from 'pg'
import { dayNumber, numberOfDay } from '../../calendar/local-days'
import { MAX_COUNT, MISSING } from '../../calendar/packed-counts'
import { type Installation, installationAt, loadSensors, type Sensor } from '../entities/installations'
import { type Tally, told } from '../figures'
import type { RowSink } from '../row-sink'
import { type ClockDay, startsIn } from './clock'
import type { OpenDay } from './count-buffer'
import { Counts } from './counts'
import { WallClock } from './wall-clock'

const DAY = 86_400
const FIRST_DAY = numberOfDay(1970, 1, 1)
const LAST_DAY = numberOfDay(2100, 12, 31)

/** Takes in rows of `sensor, start, impressions`. @param held how many counts may be held in memory, for tests */
export async function takeImpressions(
  client: ClientBase,
  columns: readonly string[],
  tally: Tally,
  held?: number,
): Promise<RowSink> {
  const [sensorAt, startAt, impressionsAt] = ['sensor', 'start', 'impressions'].map(name => columns.indexOf(name)) as [
    number,
    number,
    number,
  ]
  const counts = new Counts(client, tally, held)
  const finder = new Finder(counts, await loadSensors(client))
  return {
    take(values, line) {
      const count = readCount(values[impressionsAt] as string)
      const name = values[sensorAt] as string
      const fault =
        finder.find(name, values[startAt] as string) ??
        (Number.isNaN(count) ? 'impressions is not a whole number from 0 to 2147483647' : undefined)
      if (fault) return fault
      counts.gathering.add(finder.day as OpenDay, finder.interval, count, line)
      return undefined
    },
    settle: () => counts.settle(),
    check: () => counts.check(),
    store: () => counts.store(),
  }
}

/** NaN for what is no count. */
function readCount(text: string): number {
  if (text === '') return MISSING
  if (text.length > 10) return Number.NaN
  let count = 0
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48
    if (!(digit >= 0 && digit <= 9)) return Number.NaN
    count = count * 10 + digit
  }
  return count <= MAX_COUNT ? count : Number.NaN
}

/** Finds the day and the interval that a row speaks of. What it found last stands in `day` and `interval`. */
export class Finder {
  day: OpenDay | undefined
  interval = 0
  private readonly clock = new WallClock()

  constructor(
    private readonly counts: Counts,
    private readonly sensors: Map<string, Sensor>,
  ) {}

  /** The reason why a row's sensor or start is faulty, if it is. */
  find(name: string, start: string): string | undefined {
    const sensor = this.sensors.get(name)
    if (!sensor) return name === '' ? 'sensor is required' : `sensor ${told(name)} is unknown`
    const { clock } = this
    if (!clock.read(start)) return start === '' ? 'start is required' : `start ${told(start)} is not a time stamp`
    const { current } = sensor
    if (current) {
      // Most rows are of the same day as the one before them.
      const second = clock.offset === undefined ? this.secondIn(current.day) : this.instant() - current.day.start
      if (second >= 0 && second < DAY) return this.settleOn(current, second)
    }
    if (clock.day < FIRST_DAY || clock.day > LAST_DAY) return `start ${told(start)} is not between 1970 and 2100`
    if (sensor.installations.length === 0) return `sensor ${told(name)} was never installed on an asset`
    const instant = clock.offset === undefined ? this.instantMeant(sensor) : this.instant()
    if (typeof instant === 'string') return instant
    return this.findAt(sensor, instant)
  }

  /** Finds the day and interval of an instant. */
  findAt(sensor: Sensor, instant: number): string | undefined {
    const installation = installationAt(sensor, instant)
    const day = this.counts.clocks.dayAt(installation.zone, instant)
    const key = `${day.number} ${installation.asset}`
    const open = this.counts.gathering.open(sensor, key, () => ({
      installation,
      day,
      starts: startsIn(day, sensor.nativeMinutes),
    }))
    sensor.current = day.plain && stands(sensor, installation, day) ? open : undefined
    return this.settleOn(open, instant - day.start)
  }

  /**
   * Finds the days and intervals of a whole local day of counts; gives the reason why it cannot be.
   *
   * @param give gets every count that is not missing
   */
  findDay(
    name: string,
    date: string,
    counts: ArrayLike<number>,
    give: (open: OpenDay, interval: number, count: number) => void,
  ): string | undefined {
    const sensor = this.sensors.get(name)
    if (!sensor?.installations.length) return `sensor ${told(name)} is unknown, or was never installed on an asset`
    const number = dayNumber(date)
    // The sensor may have moved to another zone on that day: the day is the one of where it began.
    const { zone } = sensor.installations
      .map(installation => ({ ...installation, day: this.counts.clocks.day(installation.zone, number) }))
      .findLast(({ from, day }) => from <= day.start) as Installation
    const day = this.counts.clocks.day(zone, number)
    const starts = startsIn(day, sensor.nativeMinutes)
    if (counts.length !== starts.length) {
      return `${date} has ${starts.length} intervals in ${zone}, not ${counts.length}`
    }
    this.clock.millis = 0
    for (let i = 0; i < starts.length; i++) {
      const count = counts[i] as number
      if (count === MISSING) continue
      const instant = day.start + (starts[i] as number)
      const { current } = sensor
      const known = current && instant >= current.day.start && instant < current.day.end
      const fault = known ? this.settleOn(current, instant - current.day.start) : this.findAt(sensor, instant)
      if (fault) return fault
      give(this.day as OpenDay, this.interval, count)
    }
    return undefined
  }

  private settleOn(open: OpenDay, second: number): string | undefined {
    const { nativeMinutes } = open.sensor
    const interval = nativeMinutes < 60 || open.day.plain ? second / (nativeMinutes * 60) : open.starts.indexOf(second)
    if (!Number.isInteger(interval) || interval < 0 || this.clock.millis !== 0) {
      const name = nativeMinutes === 60 ? 'clock hour' : nativeMinutes === 15 ? 'quarter hour' : 'minute'
      return `start is not the beginning of a ${name}, which is what the sensor counts by`
    }
    this.day = open
    this.interval = interval
    return undefined
  }

  /** The instant of a time stamp with an offset. */
  private instant(): number {
    return this.clock.day * DAY + this.clock.second - (this.clock.offset as number)
  }

  private secondIn(day: ClockDay): number {
    return this.clock.day === day.number ? this.clock.second : -1
  }

  /** Whether an interval of the sensor begins at an instant. */
  private begins(sensor: Sensor, instant: number): boolean {
    const day = this.counts.clocks.dayAt(installationAt(sensor, instant).zone, instant)
    return startsIn(day, sensor.nativeMinutes).includes(instant - day.start)
  }

  /** The instant that a wall clock time means: at its first sight the first that the clock shows so, then the next. */
  private instantMeant(sensor: Sensor): number | string {
    const { day, second } = this.clock
    const zones = new Set(sensor.installations.map(({ zone }) => zone))
    const shown = [...zones].flatMap(zone =>
      this.counts.clocks.instantsOf(zone, day, second).filter(instant => installationAt(sensor, instant).zone === zone),
    )
    if (shown.length === 0) return 'start is a time that the clock skips there'
    // A half-hour change repeats times of which only the second pass begins a clock hour.
    const begun = shown.length > 1 ? shown.filter(instant => this.begins(sensor, instant)) : shown
    if (begun.length === 1) return begun[0] as number
    const key = day * DAY + second
    const sight = sensor.sights.get(key) ?? 0
    sensor.sights.set(key, sight + 1)
    return shown.sort((a, b) => a - b)[sight] ?? 'start stands once more than the clock shows it: give it an offset'
  }
}

/** Whether all of a day belongs to one installation. */
function stands(sensor: Sensor, installation: Installation, day: ClockDay): boolean {
  return installationAt(sensor, day.start) === installation && installationAt(sensor, day.end - 1) === installation
}
