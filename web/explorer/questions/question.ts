/** A question that the explorer answers with one query. */
import type { AssetFilter } from '../../../schema/generated'
import type { Preset } from '../form/ranges'

export interface Question {
  /** In the address of the page. */
  id: string
  title: string
  text: string
  query: string
  fields: readonly Field[]
  firstFilter?: AssetFilter
  show: Show
}

/**
 * A field of the form, which sets variables of the query: those of its name; `from` and `to` for a range; for `before`, the
 * variables `before` and `until`, a range that follows the one above. All questions have a filter: it sets the variable
 * `filter`, or narrows the assets of the field `asset`.
 */
export type Field = 'asset' | 'before' | { range: Preset } | Choice

/** One of several values, by their titles; the first of them without a choice. */
export interface Choice {
  variable: string
  label: string
  values: Readonly<Record<string, string | boolean>>
}

export const FOUR_WEEKS: Field = { range: 'Last 4 whole weeks' }

export const chooseGrain = (...grains: string[]): Choice => ({
  variable: 'grain',
  label: 'By',
  values: Object.fromEntries(grains.map(grain => [grain.replace('_', ' '), grain])),
})

/** The chart or table that shows a response. */
export interface Show {
  kind: 'table' | 'line' | 'bars' | 'heat'
  /** The list, by the names of its fields. */
  rows: string
  /** The same list of the range before, which is drawn beside it: the column `range` says to which a row belongs. */
  beside?: string
  /** Names of columns: times of lines, categories of bars, columns of a heat map. */
  x?: string
  /** Numbers of lines and bars, rows of a heat map. */
  y?: string
  /** Series of lines and bars, numbers of a heat map. */
  color?: string
  /** Whether a heat map shows what the numbers lack to be whole. */
  isMissing?: boolean
  /** The question about an asset to which its bars and cells lead; by default, on its impressions. */
  leadsTo?: string
  unit?: string
  empty?: string
}

export const measureOf = ({ kind, y, color }: Show): string => (kind === 'heat' ? color : y) ?? ''

/** Returns a query on one asset, whose name and time zone the chart shows. @param beside other fields of the query */
export const queryAsset = (name: string, fields: string, variables = '', beside = '') =>
  `query ${name}($asset: ID!, $from: Date!, $to: Date!${variables}) {
  asset(id: $asset) {
    name
    city
    timeZone
    ${fields}
  }${beside}
}
`

/** Returns a query on the impressions of the assets of a filter together. */
export const queryNetwork = (name: string, fields: string, variables = '') =>
  `query ${name}($from: Date!, $to: Date!${variables}, $filter: AssetFilter) {
  assets(limit: 1, filter: $filter) {
    count
    impressions(fromDate: $from, toDate: $to) {
      ${fields}
    }
  }
}
`
