/** Faults in words: the figures that show them, and the command that mends them. */
import type { LocalDayCache } from '../calendar/local-day-cache'
import { dateOf, intervalEnd, listStarts } from '../calendar/local-days'
import { countOf } from '../count-of'
import { usualChange } from './company-rules'
import type { Fault } from './fault'
import type { JudgedSensor } from './read-sensors'

export function describeFault(
  found: Fault,
  { serial, zone, native_minutes }: JudgedSensor,
  days: LocalDayCache,
): { evidence: string; remedy: string } {
  const { fault, figures } = found
  const sensor = argument(serial)
  const [from, after] = [dateOf(found.from), dateOf(found.to + 1)]
  const setAside = (start = from, end = after) =>
    `partner-metrics set-aside impressions --sensor ${sensor} --from ${start} --to ${end} --reason 'doctor: ${fault}'`
  const importAgain = `partner-metrics import impressions FILE, with the counts of ${listDates(found)}`
  switch (fault) {
    case 'zero':
      return {
        evidence: `0 for up to ${countOf(figures.hours, 'hour')} in a row, in which ${number(figures.usual)} impressions are usual`,
        remedy: setAside(),
      }
    case 'stuck': {
      const at = (day: number, interval: number, isEnd = false) => {
        const local = days.day(zone, day)
        const starts = listStarts(local, native_minutes)
        const instant = isEnd ? intervalEnd(local, starts, interval) : local.start + starts[interval]!
        return days.format(zone, instant)
      }
      const [start, end] = [at(found.from, figures.interval), at(found.to, figures.lastInterval, true)]
      const times = `from ${start} to ${end}`
      return {
        evidence: `${number(figures.count)} in ${figures.intervals} intervals in a row, ${times}`,
        remedy: setAside(start, end),
      }
    }
    case 'repeated_days': {
      const share = `${figures.equal} of ${figures.compared} intervals with counts are equal`
      return {
        evidence: `${dateOf(found.from)} repeats ${dateOf(figures.of)}: ${share}`,
        remedy: `${importAgain}; or ${setAside()}`,
      }
    }
    case 'shifted': {
      const hours = countOf(Math.abs(figures.hours), 'hour')
      const distance = `${percent(figures.share)} of the distance from what is expected remains with that shift`
      return {
        evidence: `counts come ${hours} ${figures.hours > 0 ? 'late' : 'early'}: ${distance}`,
        remedy: `${importAgain} and --time-zone ZONE or --stamps start|end as the vendor writes times`,
      }
    }
    case 'level': {
      const change = usualChange(figures.noise)
      const usual = `${percent(Math.exp(-change))} to ${percent(Math.exp(change))} is usual`
      return {
        evidence: `${percent(figures.share)} of what is expected beside the other sensors of the company, where ${usual}`,
        remedy: `if the place changed, partner-metrics note add --sensor ${sensor} --from ${from} --kind break --text TEXT; else ${setAside()}`,
      }
    }
    case 'implausible': {
      const grain = figures.grain.replace('_', ' ')
      return {
        evidence: `${number(figures.value)} in one ${grain} on ${from}, where at most ${number(figures.usual)} is usual`,
        remedy: `${importAgain}; or ${setAside(from, dateOf(found.from + 1))}`,
      }
    }
  }
}

const listDates = ({ from, to }: Fault): string => (from === to ? dateOf(from) : `${dateOf(from)} to ${dateOf(to)}`)

const number = (value: number): string => String(Math.round(value))

const percent = (share: number): string => `${Math.round(100 * share)} %`

/** Returns an argument of a command, in quotes where a shell needs them. */
const argument = (text: string): string => (/^[\w.:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
