/** Where the demo's audiences live and who they are, made from what an asset-day counted: nearly all of it, never more. */
import { AGE_BANDS, GENDERS } from '../../../schema/demographic-groups'
import type { Face } from './assets'
import { chances } from './random'
import type { ShapeName } from './shapes'

/** What all sensors of an asset counted on a local date. */
export interface AssetDay {
  face: Face
  date: string
  impressions: number
}

/** Home cities of an asset-day: rows as the import's kind `origins` has them. */
export function* originsOf({ face, date, impressions }: AssetDay): Generator<(string | number)[]> {
  const chance = chances('origins', face.id, date)
  const place = chances('origins', face.id)
  const known = impressions * (0.93 + 0.05 * chance())
  // People from afar come a little more or less to each place, and vary from day to day.
  const weights = face.city.homes.map(home => home[3] * (0.7 + 0.6 * place()) * (0.9 + 0.2 * chance()))
  const parts = share(known, weights)
  for (const [i, [country, region, city]] of face.city.homes.entries()) {
    const part = parts[i] as number
    if (part > 0) yield [face.id, date, country, region, city, part]
  }
}

/** Of 100 people how many are of each age band, and how many are women, by the kind of place. */
const PEOPLE: Record<ShapeName, { ages: string; female: number }> = {
  commuter: { ages: '6 13 24 22 17 11 5', female: 50 },
  station: { ages: '7 16 23 19 16 11 7', female: 49 },
  roadside: { ages: '3 9 20 23 21 15 8', female: 43 },
  high_street: { ages: '8 17 22 18 15 11 8', female: 57 },
  mall: { ages: '11 18 21 18 14 10 7', female: 58 },
  nightlife: { ages: '3 30 34 17 9 4 2', female: 46 },
  office: { ages: '1 8 31 29 20 10 1', female: 47 },
  leisure: { ages: '12 15 21 20 14 10 7', female: 52 },
  airport: { ages: '5 11 22 22 19 13 7', female: 47 },
}

/** Age bands and genders of an asset-day: rows as the import's kind `demographics` has them. Small groups may be missing. */
export function* demographicsOf({ face, date, impressions }: AssetDay): Generator<(string | number)[]> {
  const chance = chances('demographics', face.id, date)
  const place = chances('demographics', face.id)
  const { ages, female } = PEOPLE[face.shape]
  const women = (female + 8 * (place() - 0.5)) / 100
  const genders = [0.97 * (1 - women), 0.97 * women, 0.03]
  const bands = [...ages.split(' ').map(age => Number(age) * (0.8 + 0.4 * place())), 3]
  const weights = bands.flatMap(band => genders.map(gender => band * gender * (0.93 + 0.14 * chance())))
  const parts = share(impressions * (0.95 + 0.04 * chance()), weights)
  for (const [cell, part] of parts.entries()) {
    if (part > 0) yield [face.id, date, GENDERS[cell % 3] as string, AGE_BANDS[Math.floor(cell / 3)] as string, part]
  }
}

/** Whole parts of `sum` by weight. */
function share(sum: number, weights: readonly number[]): number[] {
  const all = weights.reduce((all, weight) => all + weight, 0)
  return weights.map(weight => Math.floor((sum * weight) / all))
}
