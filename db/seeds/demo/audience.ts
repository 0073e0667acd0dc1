/** The origins and demographics of the demo: parts of the impressions of an asset-day, with the fields of the import. */
import { AGE_BANDS, GENDERS } from '../../../schema/demographic-groups'
import type { Asset } from './assets'
import { sum } from './counts'
import { chances } from './random'

/** In percent, in the order of AGE_BANDS and GENDERS. */
const AGES = [8, 17, 24, 19, 15, 10, 5, 2]
const SEXES = [48, 49, 3]

export function generateOrigins({ id: asset_id, homes }: Asset, date: string, impressions: number) {
  const chance = chances('origins', asset_id, date)
  const weights = homes.map(({ weight }) => weight * (0.85 + 0.3 * chance()))
  const parts = split(0.95 * impressions, weights)
  return homes.map((home, i) => ({ ...home, asset_id, date, impressions: parts[i] }))
}

export function generateDemographics({ id: asset_id }: Asset, date: string, impressions: number) {
  const [ofAsset, ofDay] = [chances('demographics', asset_id), chances('demographics', asset_id, date)]
  const ages = AGES.map(percent => percent * (0.6 + 0.8 * ofAsset()))
  const weights = ages.flatMap(age => SEXES.map(percent => age * percent * (0.9 + 0.2 * ofDay())))
  return split(0.97 * impressions, weights).map((impressions, i) => {
    return { asset_id, date, gender: GENDERS[i % 3], age_band: AGE_BANDS[Math.floor(i / 3)], impressions }
  })
}

/** Whole parts of `total` in proportion to the weights. */
function split(total: number, weights: readonly number[]): number[] {
  const unit = total / sum(weights)
  return weights.map(weight => Math.floor(weight * unit))
}
