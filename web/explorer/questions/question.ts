/** A question that the explorer answers with one query. */
import type { Preset } from '../ranges'

export interface Question {
  /** In the address of the page. */
  id: string
  title: string
  text: string
  query: string
  fields: readonly Field[]
  show: Show
}

/**
 * A field of the form, which sets variables of the query: those of its name; `from` and `to` for a range; for `before`, the
 * variables `before` and `until`, a range that follows the one above. Without a country, a question is on all.
 */
export type Field = 'asset' | 'country' | 'city' | 'before' | { range: Preset } | Choice

/** One of several values, by their titles; the first of them without a choice. */
export interface Choice {
  variable: string
  label: string
  values: Readonly<Record<string, string | boolean>>
}

export const FOUR_WEEKS: Field = { range: 'Last 4 whole weeks' }
export const TWELVE_WEEKS: Field = { range: 'Last 12 whole weeks' }

/** Returns the choice of the length of buckets. */
export const chooseGrain = (...grains: string[]): Choice => ({
  variable: 'grain',
  label: 'By',
  values: Object.fromEntries(grains.map(grain => [grain.replace('_', ' '), grain])),
})

/** The chart or table that shows a response. */
export interface Show {
  kind: ChartKind
  /** The list, by the names of its fields; of several, the first that has rows. */
  rows: string | readonly string[]
  /** Names of columns: times of lines, categories of bars, columns of a heat map. */
  x?: string
  /** Numbers of lines and bars, rows of a heat map. */
  y?: string
  /** Series of lines and bars, numbers of a heat map. */
  color?: string
  /** The unit of the numbers. */
  unit?: string
  /** The answer if the list has no rows. */
  empty?: string
}

export type ChartKind = 'table' | 'line' | 'bars' | 'heat'

/** The typical week as a heat map. */
export const HOURS_OF_WEEK = {
  ...{ kind: 'heat', x: 'weekday', y: 'hour', color: 'averageImpressions' },
  unit: 'Average impressions per hour',
} satisfies Partial<Show>

/** Returns the column with the numbers of a chart. */
export const measureOf = ({ kind, y, color }: Show): string => (kind === 'heat' ? color : y) ?? ''

/**
 * Returns a query on one asset, whose name and time zone stand on the chart.
 *
 * @param beside other fields of the query
 */
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

/** Returns a query on the impressions of all assets together, or of those of a filter. */
export const queryNetwork = (name: string, fields: string, variables = '', filter = '') =>
  `query ${name}($from: Date!, $to: Date!${variables}) {
  assets(limit: 1${filter}) {
    impressions(fromDate: $from, toDate: $to) {
      ${fields}
    }
  }
}
`
