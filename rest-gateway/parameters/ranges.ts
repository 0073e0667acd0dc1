/** The range of days of a route, and its documentation. */
import { MAX_DAYS, MAX_DAYS_OTHERWISE } from '../../resolvers/limits/ranges'
import { fromDate, toDate } from './params'

export const range = [fromDate, toDate]

export const rangeErrors = ['INVALID_DATE_RANGE', 'RANGE_TOO_LARGE'] as const

export const maxRange = (days = MAX_DAYS_OTHERWISE): string => `Maximum range: ${days.toLocaleString('en')} days.`

export const MAX_RANGE_BY_GRAIN = `Maximum range: ${Object.entries(MAX_DAYS)
  .map(([grain, days]) => `${days} days at \`${grain}\``)
  .join(', ')}; ${MAX_DAYS_OTHERWISE.toLocaleString('en')} days at coarser grains.`
