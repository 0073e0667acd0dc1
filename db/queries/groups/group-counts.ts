/** Counts the groups that the assets in scope make up, by each of their attributes. */
import { COMPANY_SCOPE, type ScopedReader, type Statement } from '../../postgres/scoped-reader'

export type GroupCounts = Record<'company' | 'country' | 'region' | 'city' | 'media_type' | 'format' | 'asset', number>

const STATEMENT: Statement = {
  name: 'group-counts',
  text: `
SELECT count(DISTINCT company)::integer AS company, count(DISTINCT country)::integer AS country,
  count(DISTINCT (country, region))::integer AS region, count(DISTINCT (country, region, city))::integer AS city,
  count(DISTINCT media_type)::integer AS media_type, count(DISTINCT format)::integer AS format,
  (SELECT count(*)::integer FROM assets WHERE company = ANY (${COMPANY_SCOPE})) AS asset
FROM asset_classes WHERE company = ANY (${COMPANY_SCOPE})`,
}

/** With one column per attribute: regions are those of a country, cities those of a region. */
export async function readGroupCounts(reader: ScopedReader): Promise<GroupCounts> {
  const [counts] = await reader.read<GroupCounts>(STATEMENT)
  return counts as GroupCounts
}
