/**
 * The sensors of the demo, from what the tables of faces say: `m`, `q` and `h` count minutes, quarter hours and hours;
 * `!` has gaps and is degraded, `?` has gaps and is offline; `:state` is its billable state. `rover1` and `rover2` share
 * one sensor that changes places every other month, `exchanged` gets a new sensor then. What happens is tied to dates
 * of the calendar, so that a date looks the same whenever the demo is loaded.
 */
import { dateOf, dayAt, dayNumber } from '../../calendar/local-days'
import { FACES, type Face } from './assets'
import { chances, demoId, demoSerial } from './random'

/** How many days up to yesterday are counted. */
export const DAYS = 90

/** Where a sensor stands from one local date to another (without it), and between which dates (both counted) it counts. */
export interface Post {
  face: Face
  from: string
  until?: string
  counts?: readonly [from: string, to: string]
}

export interface Sensor {
  id: string
  serial: string
  model: string
  vendor: Vendor
  state: 'pending' | 'billable' | 'suspended' | 'retired'
  /** How it does: `patchy` and `silent` sensors have gaps, a `new` one was never checked. */
  condition: 'well' | 'patchy' | 'silent' | 'new'
  /** The impressions of an average day. */
  daily: number
  posts: readonly Post[]
}

export interface Vendor {
  id: string
  name: string
  own: boolean
  grain: 'minute' | 'quarter_hour' | 'hour'
  minutes: number
  prefix: string
  model: string
}

const vendor = (name: string, grain: Vendor['grain'], minutes: number, prefix: string, model: string): Vendor => ({
  id: demoId('vendor', name),
  name,
  own: grain === 'minute',
  grain,
  minutes,
  prefix,
  model,
})

export const VENDORS = {
  m: vendor('Larkfield Counting', 'minute', 1, 'LK', 'Lark 3'),
  q: vendor('Metroflux Sensorik', 'quarter_hour', 15, 'MF', 'MF-15 Duo'),
  h: vendor('Tallystone', 'hour', 60, 'TS', 'Gate 60'),
}

/** What faces that are out of use were counted for, long ago. */
const HISTORY = { inactive: ['2025-04-01', '2025-06-29'], archived: ['2025-01-01', '2025-03-31'] } as const

/** All sensors as they are at `now` (seconds since 1970), and what of so many days up to then they count. */
export function sensorsAt(now: number, days = DAYS): Sensor[] {
  const sensors = FACES.flatMap(face => {
    const window = windowOf(face.city.zone, now, days)
    return face.sensors.flatMap((code, i) => sensorsOf(face, code, i, window))
  })
  return [...sensors, ...roverAt(now, days), spare()]
}

/** The local dates, both counted, of the last days up to the day before `now`. */
export function windowOf(zone: string, now: number, days = DAYS): readonly [from: string, to: string] {
  const yesterday = dayNumber(dayAt(zone, now).date) - 1
  return [dateOf(yesterday - days + 1), dateOf(yesterday)]
}

function sensorsOf(face: Face, code: string, place: number, window: readonly [string, string]): Sensor[] {
  if (code.startsWith('rover')) return []
  if (code === 'exchanged') return exchangedAt(face, window)
  const [, kind, fault, state] = /^([mqh])([!?]?)(?::(\w+))?$/.exec(code) as unknown as [string, 'm', string, 'pending']
  const chance = chances('sensor', face.id, String(place))
  const sensor = sensorOf(VENDORS[kind], demoSerial(VENDORS[kind].prefix, face.id, String(place)))
  const from = dateOf(dayNumber('2023-02-01') + Math.floor(chance() * 500))
  const history = face.status === 'active' ? undefined : HISTORY[face.status]
  return [
    {
      ...sensor,
      state: face.status === 'archived' ? 'retired' : (state ?? 'billable'),
      condition: state === 'pending' ? 'new' : fault === '?' || history ? 'silent' : fault === '!' ? 'patchy' : 'well',
      daily: (face.daily * (0.8 + 0.4 * chance())) / face.sensors.length,
      posts: [{ face, from, ...(face.status === 'archived' && { until: '2025-04-01' }), counts: history ?? window }],
    },
  ]
}

const sensorOf = (vendor: Vendor, serial: string): Sensor => ({
  id: demoId('sensor', serial),
  serial,
  model: vendor.model,
  vendor,
  state: 'billable',
  condition: 'well',
  daily: 0,
  posts: [],
})

/** The 15th of every other month: the last one before the window, and those within it. */
function turns([from, to]: readonly [string, string]): string[] {
  const turns: string[] = []
  for (let number = dayNumber(from) - 62; number <= dayNumber(to); number++) {
    const date = dateOf(number)
    if (date.endsWith('-15') && Number(date.slice(5, 7)) % 2 === 0) turns.push(date)
  }
  return turns
}

/** From turn to turn another sensor; those before the last are removed. */
function exchangedAt(face: Face, window: readonly [string, string]): Sensor[] {
  return turns(window).map((from, i, all) => {
    const until = all[i + 1]
    return {
      ...sensorOf(VENDORS.q, demoSerial(VENDORS.q.prefix, face.id, from)),
      state: until ? 'retired' : 'billable',
      daily: face.daily,
      posts: [{ face, from, ...(until && { until }) }],
    }
  })
}

/** From turn to turn the same sensor on the other of two faces. */
function roverAt(now: number, days: number): Sensor[] {
  const [first, second] = ['rover1', 'rover2'].map(code => FACES.find(face => face.sensors.includes(code))) as [
    Face,
    Face,
  ]
  return [
    {
      ...sensorOf(VENDORS.m, demoSerial(VENDORS.m.prefix, 'rover')),
      daily: first.daily / 2,
      posts: turns(windowOf(first.city.zone, now, days)).map(from => ({
        face: Number(from.slice(5, 7)) % 4 === 0 ? first : second,
        from,
      })),
    },
  ]
}

/** A sensor in stock, which never stood anywhere. */
const spare = (): Sensor => ({
  ...sensorOf(VENDORS.m, demoSerial(VENDORS.m.prefix, 'spare')),
  state: 'pending',
  condition: 'new',
})
