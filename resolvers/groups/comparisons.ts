/** Compares the impressions of assets in two ranges: by their averages per day with data, so that missing days are no lost audience. */
import type { GroupAsset, SumOrder } from '../../schema/generated'
import { coverage, share } from '../series/ratios'
import type { MeasuredAsset } from './measured-assets'

type ComparedRow = Omit<GroupAsset, 'name' | 'share'>

interface Order {
  by: SumOrder
  descending: boolean
}

/** The fields to sort by. */
const FIGURES = { impressions: 'impressions', change: 'change', change_rate: 'changeRate' } as const

/** Returns the first rows in an order, of the assets that have data. Those without the figure are last, equal ones by id. */
export function compareAssets(
  assets: readonly MeasuredAsset[],
  others: readonly MeasuredAsset[],
  { by, descending }: Order,
  limit: number,
): ComparedRow[] {
  const sign = descending ? -1 : 1
  const figureOf = (row: ComparedRow) => (row[FIGURES[by]] ?? Number.POSITIVE_INFINITY * sign) * sign
  const byId = new Map(others.map(asset => [asset.id, asset]))
  const rows = assets.flatMap(asset => (asset.impressions === null ? [] : describe(asset, byId.get(asset.id))))
  const inOrder = rows.sort((a, b) => {
    const [x, y] = [figureOf(a), figureOf(b)]
    return x === y ? (a.assetId < b.assetId ? -1 : 1) : x - y
  })
  return inOrder.slice(0, limit)
}

const NO_CHANGE = { change: null, changeRate: null }

const perDay = ({ impressions, daysWithData }: MeasuredAsset): number => impressions! / daysWithData

/** @param other the asset in the range that it is compared with, if there is one */
function describe(own: MeasuredAsset, other: MeasuredAsset | undefined): ComparedRow {
  const isComparable = own.daysWithData > 0 && other !== undefined && other.daysWithData > 0
  return {
    assetId: own.id,
    impressions: own.impressions!,
    daysWithData: own.daysWithData,
    coverage: coverage(own.observed, own.expected),
    comparedWith: other?.impressions ?? null,
    comparedDaysWithData: other?.daysWithData ?? null,
    comparedCoverage: other ? coverage(other.observed, other.expected) : null,
    ...(isComparable ? describeChange(perDay(own), perDay(other)) : NO_CHANGE),
  }
}

const describeChange = (own: number, other: number) => ({
  change: Math.round((own - other) * 100) / 100,
  changeRate: other === 0 ? null : share(own - other, other),
})
