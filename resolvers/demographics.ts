/** Resolvers for demographics. Groups of too few impressions would describe persons: they are suppressed. */

import { buildConditions } from '../db/queries/asset-filters'
import {
  AGE_BANDS,
  type Cells,
  type Demographics,
  GENDERS,
  readAggregateDemographics,
  readDemographics,
} from '../db/queries/demographics'
import type { AgeGenderGroup, AssetDemographics } from '../schema/generated'
import type { Query } from './context'
import { checkRange, type DateRange, toDates } from './limits/ranges'
import { share } from './series/ratios'

/** Groups of fewer impressions are suppressed. */
export const MIN_IMPRESSIONS = 50

export const demographics: Query['demographics'] = async (_, { assetId, ...range }, { reader }) => {
  checkRange(range)
  const found = (await readDemographics(reader, [assetId], toDates(range))).get(assetId)
  return found ? describeAudience(assetId, found, range) : null
}

export const demographicsAggregate: Query['demographicsAggregate'] = async (
  _,
  { filter = null, ...range },
  { reader },
) => {
  checkRange(range)
  const found = await readAggregateDemographics(reader, toDates(range), buildConditions(filter))
  return found ? { assetCount: found.assetCount, ...computeGroups(found.cells, range) } : null
}

export const describeAudience = (assetId: string, { cells, daysWithData }: Demographics, range: DateRange) => ({
  ...{ assetId, daysWithData },
  ...computeGroups(cells, range),
})

/** Returns the groups that the summed cells of a range make up. */
function computeGroups(cells: Cells, range: DateRange): Omit<AssetDemographics, 'assetId' | 'daysWithData'> {
  const total = cells.reduce((sum, count) => sum + count, 0)
  const suppressed = total < MIN_IMPRESSIONS
  if (suppressed) return { ...range, total, suppressed, gender: [], age: [], ageGender: [] }
  const gender = GENDERS.map(gender => ({ gender, impressions: 0, share: 0 }))
  const age = AGE_BANDS.map(ageBand => ({ ageBand, impressions: 0, share: 0 }))
  const ageGender: AgeGenderGroup[] = []
  for (const ofAge of age) {
    for (const ofGender of gender) {
      const impressions = cells[ageGender.length]!
      ofAge.impressions += impressions
      ofGender.impressions += impressions
      ageGender.push({
        ageBand: ofAge.ageBand,
        gender: ofGender.gender,
        impressions,
        share: share(impressions, total),
      })
    }
  }
  for (const group of [...age, ...gender]) group.share = share(group.impressions, total)
  return { ...range, total, suppressed, gender, age, ageGender }
}
