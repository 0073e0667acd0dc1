/** The variables of questions. */
import type { Question } from './questions/question'
import { listPresets, type Range, rangeBefore } from './ranges'
import type { Scope, ScopeAsset } from './request'

export type Variables = Record<string, unknown>

/** Returns the first values of the variables of a question: there are data for them if there are any in scope. */
export function firstVariables({ fields }: Question, { assets, measured }: Scope): Variables {
  const newest = assets.filter(({ measuredTo }) => measuredTo !== null && measuredTo >= measured.to)
  const finest = newest.filter(({ finestGrain }) => finestGrain === 'minute')
  const [asset] = [...finest, ...newest, ...assets]
  const variables: Variables = {}
  for (const field of fields) {
    if (field === 'asset') variables.asset = asset?.id ?? ''
    else if (field === 'city') variables.city = listPlaces(assets, 'city')[0]?.[0] ?? ''
    else if (field === 'before') Object.assign(variables, follow(variables))
    else if (typeof field === 'object' && 'range' in field) Object.assign(variables, firstRange(field.range, measured))
    else if (typeof field === 'object') variables[field.variable] = Object.values(field.values)[0]
  }
  return variables
}

function firstRange(name: string, { from, to }: Range): Range {
  const presets = new Map<string, Range>(listPresets(to))
  const range = presets.get(name)
  // The last whole week may have ended before the first day with data.
  return range && range.to >= from ? range : presets.get('Last 7 days')!
}

/** Returns the days of a question. */
export const rangeOf = ({ from, to }: Variables): Range => ({ from: String(from), to: String(to) })

/** Returns the days with which those of a question are compared. */
export function follow(variables: Variables): Variables {
  const before = rangeBefore(rangeOf(variables))
  return { before: before.from, until: before.to }
}

/** Returns the countries or cities of assets with their numbers of assets, those with most first. */
export function listPlaces(assets: readonly ScopeAsset[], kind: 'country' | 'city'): [name: string, count: number][] {
  const counts = new Map<string, number>()
  for (const { [kind]: name } of assets) if (name) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b))
}
