/** The changes of the feed. */
import type { paths } from '../../client/index'
import type { Days } from './store'

export type Change =
  paths['/v1/partner/changes']['get']['responses'][200]['content']['application/json']['data'][number]

export interface ChangeGroup {
  kind: Change['kind']
  ids: string[]
  /** The local days; undefined for kinds without. */
  days: Days | undefined
}

/** Groups changes of one kind and range. Those of removed assets come first: an id may have been created again. */
export function groupChanges(changes: readonly Change[]): ChangeGroup[] {
  const groups = new Map<string, ChangeGroup>()
  for (const { asset_id, kind, from_date, to_date } of changes.toSorted((a, b) => rank(a) - rank(b))) {
    const key = `${kind} ${from_date} ${to_date}`
    const group = groups.get(key) ?? { kind, ids: [], days: from_date && to_date ? [from_date, to_date] : undefined }
    if (!group.ids.includes(asset_id)) group.ids.push(asset_id)
    groups.set(key, group)
  }
  return [...groups.values()]
}

const rank = ({ kind }: Change): number => (kind === 'removed' ? 0 : 1)

/** Names of kinds that are no nouns for what changed. */
const SUBJECTS: Record<string, string> = { asset: 'attributes', removed: 'removal' }

/** Describes changes in a line for each kind. */
export function describeChanges(changes: readonly Change[]): string[] {
  const kinds = new Map<string, Change[]>()
  for (const change of changes) kinds.set(change.kind, [...(kinds.get(change.kind) ?? []), change])
  return [...kinds].map(([kind, ofKind]) => {
    const assets = new Set(ofKind.map(({ asset_id }) => asset_id)).size
    const dates = ofKind
      .flatMap(({ from_date, to_date }) => [from_date ?? [], to_date ?? []])
      .flat()
      .sort()
    const range = dates.length > 0 ? `, ${dates[0]} to ${dates.at(-1)}` : ''
    return `${SUBJECTS[kind] ?? kind} of ${assets} ${assets === 1 ? 'asset' : 'assets'}${range}`
  })
}
