/** Compares the impressions of assets in two ranges: by their averages per day with data, so that missing days are no lost audience. */
import type { Comparison, GroupAsset, SumOrder } from '../../schema/generated'
import { coverage, share } from '../series/ratios'
import type { MeasuredAsset } from './measured-assets'

/** An asset in a range, and in the one that it is compared with, if there is one. */
interface ComparedAsset {
  own: MeasuredAsset
  other: MeasuredAsset | undefined
}

type ComparedRow = Omit<GroupAsset, 'name' | 'share'>

interface Order {
  by: SumOrder
  descending: boolean
}

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
  const rows = pair(assets, others).flatMap(asset => (asset.own.impressions === null ? [] : describe(asset)))
  const inOrder = rows.sort((a, b) => {
    const [x, y] = [figureOf(a), figureOf(b)]
    return x === y ? (a.assetId < b.assetId ? -1 : 1) : x - y
  })
  return inOrder.slice(0, limit)
}

/** Returns the assets together. The change is that of the assets with data in both ranges. */
export function compareSums(assets: readonly MeasuredAsset[], others: readonly MeasuredAsset[]): Comparison {
  const both = pair(assets, others).filter(isComparable)
  const own = both.reduce((sum, asset) => sum + perDay(asset.own), 0)
  const other = both.reduce((sum, asset) => sum + perDay(asset.other!), 0)
  const [range, otherRange] = [sumOf(assets), sumOf(others)]
  return {
    ...describeRange(range),
    comparedWith: otherRange.impressions,
    comparedDaysWithData: otherRange.daysWithData,
    comparedCoverage: describeRange(otherRange).coverage,
    ...(both.length > 0 ? describeChange(own, other) : NO_CHANGE),
  }
}

const NO_CHANGE = { change: null, changeRate: null }

type Sums = Pick<MeasuredAsset, 'daysWithData' | 'observed' | 'expected'> & { impressions: number }

function sumOf(assets: readonly MeasuredAsset[]): Sums {
  const sums = { impressions: 0, daysWithData: 0, observed: 0, expected: 0 }
  for (const asset of assets) {
    sums.impressions += asset.impressions ?? 0
    sums.daysWithData += asset.daysWithData
    sums.observed += asset.observed
    sums.expected += asset.expected
  }
  return sums
}

function pair(assets: readonly MeasuredAsset[], others: readonly MeasuredAsset[]): ComparedAsset[] {
  const byId = new Map(others.map(asset => [asset.id, asset]))
  return assets.map(own => ({ own, other: byId.get(own.id) }))
}

const isComparable = ({ own, other }: ComparedAsset): boolean => own.daysWithData > 0 && (other?.daysWithData ?? 0) > 0

const perDay = ({ impressions, daysWithData }: MeasuredAsset): number => impressions! / daysWithData

function describe(asset: ComparedAsset): ComparedRow {
  const { own, other } = asset
  return {
    assetId: own.id,
    ...describeRange({ ...own, impressions: own.impressions! }),
    comparedWith: other?.impressions ?? null,
    comparedDaysWithData: other?.daysWithData ?? null,
    comparedCoverage: other ? coverage(other.observed, other.expected) : null,
    ...(isComparable(asset) ? describeChange(perDay(own), perDay(other!)) : NO_CHANGE),
  }
}

const describeRange = ({ impressions, daysWithData, observed, expected }: Sums) => ({
  ...{ impressions, daysWithData },
  coverage: coverage(observed, expected),
})

const describeChange = (own: number, other: number) => ({
  change: Math.round((own - other) * 100) / 100,
  changeRate: other === 0 ? null : share(own - other, other),
})
