/**
 * The population of the benchmark data: companies, vendors, assets and their sensors, generated from a seed. Half of the
 * assets belong to the company whose key is used; the others are out of its scope.
 */
import { chances } from '../../db/seeds/demo/random'

export interface Size {
  assets: number
  /** Days of data for each asset, up to LAST_DAY. */
  days: number
  /** The number of the reader's assets that have `longDays` days of data instead. */
  longAssets?: number
  longDays?: number
}

export interface Asset {
  number: number
  id: string
  legacyId: number
  company: number
  zone: string
  city: number
  /** Index into LEVELS. */
  level: number
  days: number
  sensors: Sensor[]
}

export interface Sensor {
  number: number
  id: string
  serial: string
  vendor: number
  minutes: 1 | 15 | 60
}

/** Fixed, so that every run sends the same requests. */
export const LAST_DAY = '2026-09-30'

/** The environment in which the service runs. */
export const ENVIRONMENT = 'production'

/** The number of the company whose key is used. */
export const READER = 1

/** In the order of their numbers, which start at 1. */
export const COMPANIES = ['Reader Outdoor', 'Second Outdoor', 'Third Outdoor', 'Fourth Outdoor']

/** In the order of their numbers, which start at 1. */
export const VENDORS = [
  { name: 'Own', minutes: 1 },
  { name: 'Quarterly', minutes: 15 },
  { name: 'Hourly', minutes: 60 },
] as const

const ZONES = ['Europe/Berlin', 'Europe/Berlin', 'Europe/Madrid', 'America/New_York']

/** Factors by which the traffic of assets differs. */
export const LEVELS = [0.2, 0.5, 1, 1, 1.5, 2, 3, 6]

/** An id in the format of cuid2, derived from a name. */
export function idOf(name: string): string {
  const chance = chances('bench', name)
  let id = 'bcdefghijk'[Math.floor(chance() * 10)]!
  while (id.length < 24) id += Math.floor(chance() * 36).toString(36)
  return id
}

/** The first assets of the reader have `longDays` days of data, and one sensor that counts minutes. */
export function makeAssets({ assets, days, longAssets = 0, longDays = days }: Size): Asset[] {
  const chance = chances('bench', 'assets')
  let sensors = 0
  return Array.from({ length: assets }, (_, i) => {
    const company = i % 2 === 0 ? READER : 2 + (Math.floor(i / 2) % (COMPANIES.length - 1))
    const isLong = company === READER && i / 2 < longAssets
    const kinds = isLong ? [0] : kindsOf(chance())
    return {
      number: i + 1,
      id: idOf(`asset ${i}`),
      legacyId: 100_000 + i,
      company,
      zone: ZONES[Math.floor(chance() * ZONES.length)]!,
      city: Math.floor(chance() * 12),
      level: Math.floor(chance() * LEVELS.length),
      days: isLong ? longDays : days,
      sensors: kinds.map(kind => {
        const number = ++sensors
        const { minutes } = VENDORS[kind]!
        return { number, id: idOf(`sensor ${number}`), serial: `BN-${number}`, vendor: kind + 1, minutes }
      }),
    }
  })
}

/** Indexes into VENDORS. Most assets have one sensor that counts minutes, some have two, some a third party's. */
function kindsOf(chance: number): number[] {
  if (chance < 0.7) return [0]
  if (chance < 0.8) return [0, 0]
  return chance < 0.95 ? [1] : [2]
}
