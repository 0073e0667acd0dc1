/** Resolvers for assets. A row is returned as it was read; only fields nested under it have resolvers. */
import { isDate } from '../db/calendar/local-days'
import { buildConditions, hasConditions } from '../db/queries/asset-filters'
import {
  type AssetPosition,
  countAssets,
  readAsset,
  readAssets,
  readAssetsInOrder,
  readUnknownIds,
} from '../db/queries/assets'
import { ApiError } from '../schema/errors'
import type { AssetOrder, AssetPageResolvers, AssetResolvers, Gap } from '../schema/generated'
import type { Context, Query } from './context'
import { describeAudience } from './demographics'
import { checkLimit, cutPage } from './limits/numbers'
import { checkRange } from './limits/ranges'
import { MAX_ROWS } from './limits/rows'
import { describeSensor } from './sensors'
import { listGaps } from './series/gaps'

export const asset: Query['asset'] = async (_, { id }, { reader }) => (await readAsset(reader, id)) ?? null

/** The date of an asset without counts. */
const NO_DATE = '-infinity'

export const assets: Query['assets'] = async (_, { limit, after, filter = null, sort = null }, { reader }) => {
  checkLimit(limit)
  const conditions = buildConditions(filter)
  const { by = 'id', descending = false } = sort ?? {}
  const position = parsePosition(by, after ?? '')
  // The list without conditions has a faster statement.
  const rows =
    !hasConditions(conditions) && sort === null
      ? readAssets(reader, position.after, limit + 1)
      : readAssetsInOrder(reader, conditions, by, descending, position, limit + 1)
  const [read, unknown] = await Promise.all([rows, readUnknownIds(reader, filter?.id)])
  if (unknown.length > 0) return null
  const page = cutPage(read, limit)
  const row = page.nodes.at(-1)
  const last = row && by === 'measured_to' ? `${row.id} ${row.measuredTo ?? NO_DATE}` : page.last
  return { ...page, last, filter }
}

/**
 * Parses the position of a page: the id of the asset before it, and behind that the date by which it is sorted.
 *
 * @throws ApiError INVALID_CURSOR for a position of a list that is sorted otherwise
 */
function parsePosition(by: AssetOrder, text: string): AssetPosition {
  if (by === 'id' || text === '') return { after: text }
  const [, after, afterDate = ''] = /^([a-z0-9]+) (.*)$/s.exec(text) ?? []
  if (!after || !(afterDate === NO_DATE || isDate(afterDate))) throw new ApiError('INVALID_CURSOR')
  return { after, afterDate }
}

export const AssetPage: AssetPageResolvers<Context> = {
  count: ({ filter }, _, { reader }) => countAssets(reader, buildConditions(filter)),

  impressions({ filter }, range) {
    checkRange(range)
    return { filter, ...range }
  },

  async gaps({ nodes }, range, { loaders }) {
    checkRange(range)
    const dates = [range.fromDate, range.toDate] as const
    const assets = await Promise.all(nodes.map(({ id }) => loaders.gaps(dates).load(id)))
    const budget = { max: MAX_ROWS, left: MAX_ROWS }
    const gaps: Gap[] = []
    for (const asset of assets) if (asset) gaps.push(...(await listGaps(asset, dates, budget)))
    return gaps
  },
}

export const Asset: AssetResolvers<Context> = {
  company: async ({ companyId }, _, { loaders }) => present(await loaders.companies().load(companyId)),

  sensors: async ({ id }, _, { loaders, now }) =>
    ((await loaders.sensors().load(id)) ?? []).map(row => describeSensor(row, now)),

  impressions: ({ id }, range) => ({ assetId: id, ...range, nested: true }),

  async demographics({ id }, range, { loaders }) {
    checkRange(range)
    const found = present(await loaders.demographics([range.fromDate, range.toDate]).load(id))
    return describeAudience(id, found, range)
  },
}

/** Returns a value that belongs to an asset that was just read. @throws ApiError NOT_FOUND if it has been deleted since */
function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new ApiError('NOT_FOUND')
  return value
}
