/** Counts the groups that the assets in scope make up, by each of their attributes. */
import { GROUPINGS, sqlOf } from '../../assets/attributes'
import { inScope, type ScopedReader, type Statement } from '../../postgres/scoped-reader'
import type { GroupBy } from './asset-groups'

export type GroupCounts = Record<GroupBy | 'asset', number>

const COUNTS = Object.entries(GROUPINGS).map(
  ([by, fields]) => `count(DISTINCT (${fields.map(sqlOf).join(', ')}))::integer AS ${by}`,
)

const STATEMENT: Statement = {
  name: 'group-counts',
  text: `
SELECT count(DISTINCT company)::integer AS company, ${COUNTS.join(', ')},
  (SELECT count(*)::integer FROM assets WHERE ${inScope('company')}) AS asset
FROM asset_classes a WHERE ${inScope('company')}`,
}

/** With one column per attribute: regions are those of a country, cities those of a region. */
export async function readGroupCounts(reader: ScopedReader): Promise<GroupCounts> {
  const [counts] = await reader.read<GroupCounts>(STATEMENT)
  return counts!
}
