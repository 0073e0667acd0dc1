/** The variables of questions. */
import type { AssetFilter } from '../../../schema/generated'
import type { Choice, Question } from '../questions/question'
import type { Scope } from '../request'
import { type ScopeAsset, selectAssets } from './filters'
import { listPresets, type Range, rangeBefore } from './ranges'

export type Variables = Record<string, unknown>

/**
 * Returns the first values of the variables of a question: there are data for them if there are any in scope. The asset is the
 * one that an address gives, or one of its filter.
 */
export function firstVariables({ fields, firstFilter }: Question, scope: Scope, given: Variables = {}): Variables {
  const { assets, measured } = scope
  const newest = assets.filter(({ measuredTo }) => measuredTo !== null && measuredTo >= measured.to)
  const finest = newest.filter(({ finestGrain }) => finestGrain === 'minute')
  const named = assets.filter(({ id }) => id === given.asset)
  const [asset] = [...named, ...selectAssets([...finest, ...newest, ...assets], filterOf(given)), ...assets]
  const variables: Variables = {}
  for (const field of fields) {
    if (field === 'asset') variables.asset = asset?.id ?? ''
    else if (field === 'before') Object.assign(variables, follow(variables))
    else if ('range' in field) Object.assign(variables, firstRange(field.range, measured))
    else variables[field.variable] = firstValue(field, asset)
  }
  return firstFilter ? { ...variables, filter: firstFilter } : variables
}

const GRAINS = ['minute', 'quarter_hour', 'hour', 'day']

/** Returns the first value of a choice; of grains, the first one that an asset has. */
function firstValue({ values }: Choice, asset: ScopeAsset | undefined) {
  const finer = GRAINS.slice(0, GRAINS.indexOf(asset?.finestGrain ?? 'minute'))
  return Object.values(values).find(value => !finer.includes(String(value)))
}

function firstRange(name: string, { from, to }: Range): Range {
  const presets = new Map<string, Range>(listPresets(to))
  const range = presets.get(name)
  // The last whole week may have ended before the first day with data.
  return range && range.to >= from ? range : presets.get('Last 7 days')!
}

/** Returns those of the variables that the query of a question has: a filter may only narrow the assets to choose from. */
export const variablesOf = ({ query }: Question, variables: Variables): Variables =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => new RegExp(`\\$${name}\\b`).test(query)))

export const rangeOf = ({ from, to }: Variables): Range => ({ from: String(from), to: String(to) })

/** Returns the days with which those of a question are compared. */
export const rangeAgainst = ({ before, until }: Variables): Range => rangeOf({ from: before, to: until })

export function follow({ from, to }: Variables): Variables {
  if (typeof from !== 'string' || typeof to !== 'string') return {}
  const before = rangeBefore({ from, to })
  return { before: before.from, until: before.to }
}

/** Returns the filter of a question; an address may have any value. */
export const filterOf = ({ filter }: Variables): AssetFilter =>
  Object.fromEntries(Object.entries(filter ?? {}).map(([name, value]) => [name, [value].flat()]))
