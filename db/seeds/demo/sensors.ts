/**
 * The vendors and sensors of the demo, with the fields of the import. The code of a sensor is the grain of its vendor (`m`
 * minute, `q` quarter hour, `h` hour) and its condition: `!` has gaps, `?` is offline, `+` is new, `>` moves to the next
 * asset on the first day of yesterday's month.
 */
import { NATIVE_MINUTES } from '../../calendar/grains'
import { dateOf, dayAt, dayNumber } from '../../calendar/local-days'
import { readNodeRules, type ZoneRules } from '../../calendar/zone-rules'
import { ASSETS, type Asset } from './assets'
import { chances, demoId } from './random'

export const VENDORS = {
  m: { id: demoId('vendor', 'm'), name: 'Larkfield Counting', own: true, finest_grain: 'minute' },
  q: { id: demoId('vendor', 'q'), name: 'Metroflux Sensorik', own: false, finest_grain: 'quarter_hour' },
  h: { id: demoId('vendor', 'h'), name: 'Tallystone', own: false, finest_grain: 'hour' },
} as const

export type Sensor = ReturnType<typeof atInstant>

/** The sensors, without what depends on the present. */
export const SENSORS = ASSETS.flatMap((asset, i) =>
  asset.sensors.map((code, j) => {
    const serial = `${code[0]}-${demoId('serial', `${asset.id} ${j}`).slice(-8)}`.toUpperCase()
    const vendor = VENDORS[code[0] as keyof typeof VENDORS]
    return {
      asset,
      next: ASSETS[i + 1] ?? asset,
      vendor,
      id: demoId('sensor', serial),
      serial,
      condition: code.slice(1),
    }
  }),
)

/** Returns sensors at an instant (seconds since 1970). */
export const sensorsAt = (now: number, sensors = SENSORS): Sensor[] => sensors.map(sensor => atInstant(sensor, now))

/** Returns the notes at an instant: on sensors that moved, and on a few days of the first asset. */
export const notesAt = (now: number, sensors: readonly Sensor[]): object[] => [
  ...sensors.flatMap(({ serial, installations: [, moved] }) =>
    moved
      ? [
          {
            id: demoId('note', serial),
            sensor: serial,
            from: moved.from,
            kind: 'break',
            text: 'The sensor was moved to another asset',
          },
        ]
      : [],
  ),
  ...ASSETS.slice(0, 1).map(asset => ({
    ...{
      id: demoId('note', asset.id),
      asset_id: asset.id,
      from: dateBefore(now, asset, 3),
      to: dateBefore(now, asset, 2),
    },
    ...{ kind: 'caveat', text: 'Road works beside the panel: fewer people than usual' },
  })),
]

/** Returns the rules of an asset's time zone. */
export const rulesOf = (asset: Asset): ZoneRules => readNodeRules(asset.time_zone)

/** Returns the local date some days before `now`. */
export const dateBefore = (now: number, asset: Asset, days: number): string =>
  dateOf(dayNumber(dayAt(rulesOf(asset), now).date) - days)

function atInstant({ asset, next, vendor, id, serial, condition }: (typeof SENSORS)[number], now: number) {
  const minutes = NATIVE_MINUTES[vendor.finest_grain]
  const chance = chances('sensor', serial)
  const from = dateOf(dayNumber('2023-02-01') + Math.floor(500 * chance()))
  const moved = `${dateBefore(now, asset, 1).slice(0, 8)}01`
  const state = { active: 'billable', inactive: 'suspended' }[asset.status] ?? 'retired'
  return {
    ...{ id, serial, model: `Counter ${minutes}`, vendor_id: vendor.name, minutes, condition },
    billable_state: condition === '+' ? 'pending' : state,
    /** Impressions of an average day. */
    daily: (asset.daily * (0.8 + 0.4 * chance())) / asset.sensors.length,
    /** In local dates; `to` is the last one with counts, of which assets out of use have none. */
    installations:
      condition === '>'
        ? [
            { asset, from, to: dateOf(dayNumber(moved) - 1) },
            { asset: next, from: moved, to: dateBefore(now, next, 1) },
          ]
        : [{ asset, from, to: asset.status === 'active' ? dateBefore(now, asset, condition === '?' ? 6 : 1) : from }],
  }
}
