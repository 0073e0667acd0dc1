/**
 * Who and what the measurements are about: companies, vendors, assets and their sensors, all made from a seed. Every
 * other asset belongs to the company whose key is used; the rest is there to be kept out by the walls.
 */
import { chances } from '../../db/seeds/demo/random'

export interface Size {
  assets: number
  /** Each asset is measured on so many days, up to LAST_DAY. */
  days: number
  /** So many of the reader's assets are measured on `longDays` instead. */
  long?: number
  longDays?: number
}

export interface Asset {
  number: number
  id: string
  legacyId: number
  company: number
  zone: string
  city: number
  /** How many people pass, as one of LEVELS. */
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

/** Dates are fixed, so that every run asks for the same. */
export const LAST_DAY = '2026-09-30'

/** Where the service is measured. */
export const ENVIRONMENT = 'production'

/** The company of the key with which is read, by number. */
export const READER = 1

/** By number, from 1 on. */
export const COMPANIES = ['Reader Outdoor', 'Second Outdoor', 'Third Outdoor', 'Fourth Outdoor']

/** By number, from 1 on. */
export const VENDORS = [
  { name: 'Own', minutes: 1 },
  { name: 'Quarterly', minutes: 15 },
  { name: 'Hourly', minutes: 60 },
] as const

const ZONES = ['Europe/Berlin', 'Europe/Berlin', 'Europe/Madrid', 'America/New_York']

/** Factors of how many people pass. */
export const LEVELS = [0.2, 0.5, 1, 1, 1.5, 2, 3, 6]

/** An id as cuid2 makes them, always the same for its name. */
export function idOf(name: string): string {
  const chance = chances('bench', name)
  let id = 'bcdefghijk'[Math.floor(chance() * 10)] as string
  while (id.length < 24) id += Math.floor(chance() * 36).toString(36)
  return id
}

/** Of the reader's assets the first are measured long, and count minutes. */
export function makeAssets({ assets, days, long = 0, longDays = days }: Size): Asset[] {
  const chance = chances('bench', 'assets')
  let sensors = 0
  return Array.from({ length: assets }, (_, i) => {
    const company = i % 2 === 0 ? READER : 2 + (Math.floor(i / 2) % (COMPANIES.length - 1))
    const isLong = company === READER && i / 2 < long
    const kinds = isLong ? [0] : kindsOf(chance())
    return {
      number: i + 1,
      id: idOf(`asset ${i}`),
      legacyId: 100_000 + i,
      company,
      zone: ZONES[Math.floor(chance() * ZONES.length)] as string,
      city: Math.floor(chance() * 12),
      level: Math.floor(chance() * LEVELS.length),
      days: isLong ? longDays : days,
      sensors: kinds.map(kind => {
        const number = ++sensors
        const { minutes } = VENDORS[kind] as (typeof VENDORS)[number]
        return { number, id: idOf(`sensor ${number}`), serial: `BN-${number}`, vendor: kind + 1, minutes }
      }),
    }
  })
}

/** Most have one sensor that counts minutes; some have two, some a third party's. */
function kindsOf(chance: number): number[] {
  if (chance < 0.7) return [0]
  if (chance < 0.8) return [0, 0]
  return chance < 0.95 ? [1] : [2]
}
