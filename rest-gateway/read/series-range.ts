/** Bounds on the range of series of many assets, checked before anything is read. */
import { GRAINS } from '../../db/calendar/grains'
import { dateOf, dayNumber } from '../../db/calendar/local-days'
import { checkAsOfGrain } from '../../resolvers/limits/as-of'
import { checkRange, type DateRange } from '../../resolvers/limits/ranges'
import { MAX_JSON_ROWS } from '../../resolvers/limits/rows'
import { SLOTS } from '../../resolvers/series/profile'
import { countBuckets } from '../../resolvers/series/series'
import { ApiError } from '../../schema/errors'
import type { Grain } from '../../schema/generated'

type Variables = Readonly<Record<string, unknown>>

interface SeriesRequest {
  range: DateRange
  grain: Grain
}

const readRequest = ({ from_date, to_date, grain }: Variables): SeriesRequest => ({
  range: { fromDate: from_date as string, toDate: to_date as string },
  grain: grain as Grain,
})

/** Returns the rows of one asset, on days without a clock change. */
export function rowsPerAsset(variables: Variables): number {
  const { range, grain } = readRequest(variables)
  return countBuckets(range, grain)
}

/** @throws ApiError INVALID_DATE_RANGE, RANGE_TOO_LARGE; INVALID_PARAMETER for `as_of` at a grain that has none */
export function checkSeriesRange(variables: Variables): void {
  const { range, grain } = readRequest(variables)
  checkAsOfGrain(variables.as_of as string | null, grain)
  checkRange(range, grain)
}

/** Checks a page in JSON, whatever number of assets it has. @throws ApiError RANGE_TOO_LARGE */
export function checkPageRows(variables: Variables): void {
  const limit = variables.limit as number
  const { range, grain } = readRequest(variables)
  const rows = countBuckets(range, grain)
  if (limit * rows > MAX_JSON_ROWS) {
    throw pageTooLarge(limit, rows, findMaxDays(range.fromDate, grain, Math.floor(MAX_JSON_ROWS / limit)))
  }
}

/** Checks a page of typical weeks in JSON. @throws ApiError RANGE_TOO_LARGE */
export function checkPageWeeks({ limit }: Variables): void {
  if ((limit as number) * SLOTS > MAX_JSON_ROWS) throw pageTooLarge(limit as number, SLOTS, 0)
}

function pageTooLarge(limit: number, rows: number, maxDays: number): ApiError {
  const maxLimit = Math.floor(MAX_JSON_ROWS / rows)
  const advice =
    maxDays > 0 ? `Choose up to ${maxDays} days at this limit.` : `Choose a limit of up to ${maxLimit} for this range.`
  return new ApiError(
    'RANGE_TOO_LARGE',
    { max_days: maxDays, ...(maxDays === 0 && { max_limit: maxLimit }) },
    `${limit} assets have up to ${limit * rows} rows; ${MAX_JSON_ROWS} are allowed on a page. ${advice} output=csv has no such limit.`,
  )
}

/** Returns the most days from a date on that have no more buckets than allowed. */
function findMaxDays(fromDate: string, grain: Grain, allowed: number): number {
  const first = dayNumber(fromDate)
  let [fits, tooMany] = [0, GRAINS[grain].maxDays + 1]
  while (tooMany - fits > 1) {
    const days = Math.floor((fits + tooMany) / 2)
    if (countBuckets({ fromDate, toDate: dateOf(first + days - 1) }, grain) <= allowed) fits = days
    else tooMany = days
  }
  return fits
}
