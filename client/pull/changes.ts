/** The changes of the feed. */
import type { paths } from '../index'
import type { Days } from './store'

type Change = paths['/v1/partner/changes']['get']['responses'][200]['content']['application/json']['data'][number]

interface ChangeGroup {
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

/** Counts changes, without keeping them. */
export class ChangeSummary {
  count = 0
  private readonly kinds = new Map<string, { assets: Set<string>; first: string; last: string }>()

  add(changes: readonly Change[]): void {
    this.count += changes.length
    for (const { kind, asset_id, from_date, to_date } of changes) {
      const known = this.kinds.get(kind) ?? { assets: new Set(), first: '', last: '' }
      known.assets.add(asset_id)
      if (from_date && (known.first === '' || from_date < known.first)) known.first = from_date
      if (to_date && to_date > known.last) known.last = to_date
      this.kinds.set(kind, known)
    }
  }

  /** Returns a line for each kind. */
  describe(): string[] {
    return [...this.kinds].map(
      ([
        kind,
        {
          assets: { size },
          first,
          last,
        },
      ]) => {
        const range = first === '' ? '' : `, ${first} to ${last}`
        return `${SUBJECTS[kind] ?? kind} of ${size} ${size === 1 ? 'asset' : 'assets'}${range}`
      },
    )
  }
}
