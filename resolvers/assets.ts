/** Resolvers for assets. A row is returned as it was read; only fields nested under it have resolvers. */
import type { AssetRow } from '../db/assets/attributes'
import { isInstant } from '../db/calendar/instants'
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

/** The fields by which a page is sorted besides the id, whose values are in its position behind the id. */
const SORTED = {
  name: { valueOf: ({ name }: AssetRow) => name, isValue: () => true },
  created: { valueOf: ({ createdAt }: AssetRow) => createdAt, isValue: isInstant },
  updated: { valueOf: ({ updatedAt }: AssetRow) => updatedAt, isValue: isInstant },
  measured_to: {
    valueOf: ({ measuredTo }: AssetRow) => measuredTo ?? '-infinity',
    isValue: (text: string) => text === '-infinity' || isDate(text),
  },
}

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
  const last = row && by !== 'id' ? `${row.id} ${SORTED[by].valueOf(row)}` : page.last
  return { ...page, last, filter }
}

/** @throws ApiError INVALID_CURSOR for a position of a list that is sorted otherwise */
function parsePosition(by: AssetOrder, text: string): AssetPosition {
  if (by === 'id' || text === '') return { after: text }
  const [, after, afterKey] = /^([a-z0-9]+) (.*)$/s.exec(text) ?? []
  if (!after || afterKey === undefined || !SORTED[by].isValue(afterKey)) throw new ApiError('INVALID_CURSOR')
  return { after, afterKey }
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
