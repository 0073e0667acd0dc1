/** Finds the installation to which a count belongs, and explains why there is none. */
import { NATIVE_MINUTES } from '../../../db/calendar/grains'
import type { LocalDayCache } from '../../../db/calendar/local-day-cache'
import { DAY, type Day, intervalEnd } from '../../../db/calendar/local-days'
import { type Installation, installationAt, type Sensor } from '../installations'

export class InstallationFinder {
  /** @param extend whether counts before the first and after the last installation extend them @param now in seconds */
  constructor(
    private readonly days: LocalDayCache,
    private readonly extend: boolean,
    private readonly now: number,
  ) {}

  /** Returns the installation of an interval that starts at an instant; undefined for none. */
  at(sensor: Sensor, start: number): Installation | undefined {
    const installation = installationAt(sensor.installations, start)
    if (installation || !this.extend) return installation
    const [first] = sensor.installations
    const last = sensor.installations.at(-1)
    return first && start < first.from ? first : last && start >= last.to ? last : undefined
  }

  /** Returns whether every interval of a day has this installation, and is not in the future. */
  hasWholeDay(sensor: Sensor, installation: Installation, { start, end }: Day): boolean {
    const limit = end > installation.to ? this.now : this.now + DAY
    return end <= limit && this.at(sensor, start) === installation && this.at(sensor, end - 1) === installation
  }

  /** Returns why an interval with an installation is too late; undefined if it is not. */
  lateReason(sensor: Sensor, { to }: Installation, start: number, end: number): string | undefined {
    if (start > this.now + DAY) return 'start is more than a day in the future'
    if (start >= to && end > this.now)
      return `${this.outsideReason(sensor, start)}, which never extends into the future`
    return undefined
  }

  /** Returns why an instant has no installation. */
  outsideReason(sensor: Sensor, instant: number): string {
    const before = sensor.installations.findLast(({ to }) => to <= instant)
    const after = sensor.installations.find(({ from }) => from > instant)
    if (before && after) {
      return `start is between two installations of the sensor, which was removed ${this.format(sensor, before.to)} and installed again ${this.format(sensor, after.from)}: correct its installations first`
    }
    const [is, bound, column] = before
      ? ['not before the sensor was removed', before.to, 'removed_at']
      : ['before the sensor was installed', after?.from as number, 'installed_at']
    return `start is ${is}, ${this.format(sensor, bound as number)}: correct ${column} of the sensor, or give --extend-installations`
  }

  /** Returns why a date says not which of two assets the daily counts of a sensor belong to; undefined if it does. */
  twoAssetsReason(sensor: Sensor, date: number): string | undefined {
    const [first, ...others] = installationsOn(this.days, sensor, date)
    const moved = others.find(({ asset }) => asset !== first?.asset)
    if (!moved || ![first, ...others].some(isDaily)) return undefined
    return `start is on a date on which the sensor was at two assets (it was moved ${this.format(sensor, moved.from)}): give the start of the day with an offset, which says at which`
  }

  private format(sensor: Sensor, instant: number): string {
    return this.days.format(installationNear(sensor, instant).zone, Math.floor(instant))
  }
}

/** Returns the installation at an instant; outside of all, the one before or else the first. */
export const installationNear = (sensor: Sensor, instant: number): Installation =>
  installationAt(sensor.installations, instant) ??
  sensor.installations.findLast(({ from }) => from <= instant) ??
  sensor.installations[0]!

/** Returns the installations of a sensor on a date, as the clock of each asset has it. */
export const installationsOn = (days: LocalDayCache, { installations }: Sensor, date: number): Installation[] =>
  installations.filter(({ zone, from, to }) => {
    const { start, end } = days.day(zone, date)
    return from < end && to > start
  })

export const isDaily = (installation: Installation | undefined): boolean =>
  installation?.nativeMinutes === NATIVE_MINUTES.day

/** Returns the end of the interval of a day that contains an instant. */
export const endOfInterval = (day: Day, starts: readonly number[], instant: number): number =>
  intervalEnd(
    day,
    starts,
    starts.findLastIndex(start => day.start + start <= instant),
  )
