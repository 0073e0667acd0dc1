/**
 * Reads what shows where sensors have no counts, and why: their installations, the days that are not complete, when each sensor
 * counted last, and what else is known of that time. All of it of many assets at once, in one batch.
 */
import { ApiError } from '../../../schema/errors'
import { type Dates, dayNumber } from '../../calendar/local-days'
import type { ZoneRules } from '../../calendar/zone-rules'
import type { ScopedReader } from '../../postgres/scoped-reader'
import { readZoneRules } from '../../zones/scoped-rules'
import type { Installation } from '../impressions'
import { readRows } from '../statements'
import { OF_ASSETS, OF_DAYS, OF_FALLS, OF_KNOWN_TIMES, OF_SENSORS } from './statements'

/** The last local day with counts of a sensor on an asset. */
export interface LastDay {
  rules: ZoneRules
  date: string
  nativeMinutes: number
  /** Packed; null where the day is after the range. */
  counts: Buffer | null
}

/** A time for which something is known of a sensor. Instants are in seconds since 1970, `to` is exclusive. */
export interface KnownTime {
  sensor: number
  reason: 'set_aside' | 'sensor_offline'
  from: number
  to: number
}

export interface ObservedSensor {
  id: string
  /** One for each asset on which it was, from the day before the range on. */
  lastDays: LastDay[]
  /** By their begin. */
  knownTimes: KnownTime[]
}

/** The days of one sensor on one asset, by the index of the day in the range. */
export interface ObservedDays {
  complete: Set<number>
  /** Packed counts of the others. */
  counts: Map<number, Buffer>
  /** Days whose daily counts are set aside. */
  setAside: Set<number>
}

export interface AssetGaps {
  id: string
  rules: ZoneRules
  /** By their begin. */
  installations: Installation[]
  sensors: ReadonlyMap<number, ObservedSensor>
  /** By the number of the sensor. */
  days: Map<number, ObservedDays>
  /** Indexes of days of which the ledger shows that counts were erased. */
  erased: Set<number>
}

/** Sensor-days whose counts are read at once: at most 58 MB. */
const MAX_INCOMPLETE_DAYS = 20_000

interface AssetRow {
  number: number
  id: string
  rules: number
  installations: Installation[]
}

type SensorRow = { sensor: number; id: string } & (
  | { date: null }
  | { rules: number; date: string; nativeMinutes: number; counts: Buffer | null }
)

type DayRow = { asset: number; sensor: number } & (
  | { complete: number[] }
  | { complete: null; day: number; counts: Buffer }
)

type KnownRow = (KnownTime & { day: null }) | { asset: number; sensor: number; day: number }

interface FallsRow {
  asset: number
  day: number
  falls: number[]
}

/** Returns what is known of several assets, by id; without those that are unknown or out of scope. @throws ApiError RANGE_TOO_LARGE */
export async function readGaps(
  reader: ScopedReader,
  assetIds: readonly string[],
  dates: Dates,
): Promise<Map<string, AssetGaps>> {
  const [from, to] = dates
  const parameters = { ids: assetIds, from, to, limit: MAX_INCOMPLETE_DAYS + 1 }
  const [assets, sensors, days, knownTimes, falls] = await Promise.all([
    readRows<AssetRow>(reader, 'gaps-assets', () => OF_ASSETS, parameters),
    readRows<SensorRow>(reader, 'gaps-sensors', () => OF_SENSORS, parameters),
    readRows<DayRow>(reader, 'gaps-days', () => OF_DAYS, parameters),
    readRows<KnownRow>(reader, 'gaps-known-times', () => OF_KNOWN_TIMES, parameters),
    readRows<FallsRow>(reader, 'gaps-falls', () => OF_FALLS, parameters),
  ])
  refuseTooMany(days, dates)
  const numbers = [...assets, ...sensors].flatMap(row => ('rules' in row && row.rules !== null ? row.rules : []))
  const rules = await readZoneRules(reader, numbers)
  const observed = new Map<number, ObservedSensor>()
  for (const row of sensors) {
    const sensor = observed.get(row.sensor) ?? { id: row.id, lastDays: [], knownTimes: [] }
    observed.set(row.sensor, sensor)
    if (row.date !== null) sensor.lastDays.push({ ...row, rules: rules.get(row.rules)! })
  }
  const byNumber = new Map<number, AssetGaps>()
  for (const { number, id, installations, ...row } of assets) {
    const inOrder = installations.toSorted((a, b) => a.from - b.from)
    byNumber.set(number, {
      ...{ id, rules: rules.get(row.rules)!, installations: inOrder, sensors: observed },
      ...{ days: new Map(), erased: new Set() },
    })
  }
  const findDays = ({ asset, sensor }: { asset: number; sensor: number }): ObservedDays => {
    const { days } = byNumber.get(asset)!
    if (!days.has(sensor)) days.set(sensor, { complete: new Set(), counts: new Map(), setAside: new Set() })
    return days.get(sensor)!
  }
  for (const known of knownTimes) {
    if (known.day === null) observed.get(known.sensor)?.knownTimes.push(known)
    else findDays(known).setAside.add(known.day)
  }
  for (const row of days) {
    const ofSensor = findDays(row)
    if (row.complete) ofSensor.complete = new Set(row.complete)
    else ofSensor.counts.set(row.day, row.counts)
  }
  for (const { asset, day, falls: ofDay } of falls) {
    // Intervals that came later came back.
    if (ofDay.reduce((fallen, fall) => Math.max(0, fallen + fall), 0) > 0) byNumber.get(asset)!.erased.add(day)
  }
  return new Map([...byNumber.values()].map(asset => [asset.id, asset]))
}

function refuseTooMany(days: readonly DayRow[], [from, to]: Dates): void {
  if (days.filter(({ complete }) => !complete).length <= MAX_INCOMPLETE_DAYS) return
  throw new ApiError(
    'RANGE_TOO_LARGE',
    { max_days: Math.floor((dayNumber(to) - dayNumber(from) + 1) / 2) },
    `More than ${MAX_INCOMPLETE_DAYS} days of sensors are not complete. Choose fewer days or assets.`,
  )
}
