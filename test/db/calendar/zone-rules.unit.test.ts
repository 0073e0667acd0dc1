/** Rules of time zones, whose arithmetic is compared with that of Temporal. */
import { Temporal } from 'temporal-polyfill'
import { dateOf, dayNumber } from '../../../db/calendar/local-days'
import { readNodeRules, type ZoneRules } from '../../../db/calendar/zone-rules'

const startByTemporal = (zone: string, number: number): number =>
  Math.floor(Temporal.PlainDate.from(dateOf(number)).toZonedDateTime(zone).epochMilliseconds / 1000)

const [FIRST, LAST] = ['1970-01-01', '2099-12-31'].map(dayNumber) as [number, number]

/** In the long tests every day of all zones, otherwise the days around each change of some. */
function* daysOf({ starts }: ZoneRules): Generator<number> {
  if (process.env.SOAK) for (let day = FIRST; day <= LAST; day++) yield day
  else
    for (const start of starts.filter(at => at >= 0))
      for (let day = Math.floor(start / 86_400) - 1; day <= Math.floor(start / 86_400) + 1; day++) yield day
}

test('days from 1970 to 2100 start when Temporal says', () => {
  const zones = Intl.supportedValuesOf('timeZone')
  const unusual = ['Pacific/Apia', 'Africa/El_Aaiun', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kathmandu']
  for (const zone of process.env.SOAK ? zones : [...unusual, ...zones.filter((_, i) => i % 40 === 0)]) {
    const rules = readNodeRules(zone)
    for (const day of daysOf(rules)) {
      if (rules.startOfDay(day) === startByTemporal(zone, day)) continue
      expect([zone, dateOf(day), rules.startOfDay(day)]).toEqual([zone, dateOf(day), startByTemporal(zone, day)])
    }
  }
})
