/** Answers who an audience was. Too few impressions tell of persons, not of groups: those are suppressed. */
import { type Cells, readAggregateDemographics, readDemographics } from '../db/queries/demographics'
import { AGE_BANDS, GENDERS } from '../schema/demographic-groups'
import type { AgeGenderGroup, AgeGroup, GenderGroup } from '../schema/generated'
import type { Query } from './context'
import { checkRange, type DateRange } from './limits/ranges'
import { share } from './ratios'

/** Impressions below which an audience is not told apart. */
export const FEWEST = 50

export const demographics: Query['demographics'] = async (_, { assetId, ...range }, context) => {
  checkRange(range)
  const dates = [range.fromDate, range.toDate] as const
  const read = context.note(await readDemographics(context.reader, assetId, dates, context.precondition))
  return read ? { assetId, ...groupsOf(read.cells, range) } : null
}

export const demographicsAggregate: Query['demographicsAggregate'] = async (_, asked, { reader }) => {
  const range = { fromDate: asked.fromDate, toDate: asked.toDate }
  checkRange(range)
  const { assetIds, country, region, city } = asked
  const found = await readAggregateDemographics(reader, [range.fromDate, range.toDate], {
    ids: assetIds ?? null,
    countries: country == null ? null : [country],
    regions: region == null ? null : [region],
    cities: city == null ? null : [city],
  })
  return found ? { assetCount: found.assetCount, ...groupsOf(found.cells, range) } : null
}

interface Groups extends DateRange {
  total: number
  suppressed: boolean
  gender: GenderGroup[]
  age: AgeGroup[]
  ageGender: AgeGenderGroup[]
}

/** The groups of summed cells, over a range. */
export function groupsOf(cells: Cells, range: DateRange): Groups {
  const total = cells.reduce((sum, count) => sum + count, 0)
  const suppressed = total < FEWEST
  if (suppressed) return { ...range, total, suppressed, gender: [], age: [], ageGender: [] }
  const gender = GENDERS.map(gender => ({ gender, impressions: 0, share: 0 }))
  const age = AGE_BANDS.map(ageBand => ({ ageBand, impressions: 0, share: 0 }))
  const ageGender: AgeGenderGroup[] = []
  for (const ofAge of age) {
    for (const ofGender of gender) {
      const impressions = cells[ageGender.length] as number
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
