/** Runs statements with EXPLAIN, and counts the rows that they read. */
import { type Client, escapeLiteral } from 'pg'
import { prepareValue } from 'pg/lib/utils'

export interface Sent {
  name: string
  text: string
  values: unknown[]
}

export interface PlanNode {
  'Node Type': string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Index Recheck'?: number
  'Rows Removed by Filter'?: number
  'Relation Name'?: string
  'Index Cond'?: string
  Filter?: string
  Plans?: PlanNode[]
}

export const collectNodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(collectNodes)]

/** Returns the rows of a node and those that it left out. */
export function countRowsRead(node: PlanNode): number {
  const rows =
    (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return Math.round(rows * (node['Actual Loops'] ?? 1))
}

/** Runs a statement some times, as a prepared one. @returns the nodes of the last plan */
export async function runExplained(
  reader: Client,
  { name, text, values }: Sent,
  planCacheMode: string,
  times = 1,
): Promise<PlanNode[]> {
  const literals = values.map(prepareValue).map(value => {
    if (value === null) return 'NULL'
    return escapeLiteral(Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : String(value))
  })
  await reader.query(`SET plan_cache_mode = ${planCacheMode}`)
  await reader.query(`PREPARE "${name}" AS ${text}`)
  const given = literals.length > 0 ? `(${literals.join(', ')})` : ''
  const execute = `EXPLAIN (FORMAT JSON, ANALYZE, TIMING off) EXECUTE "${name}" ${given}`
  for (let i = 1; i < times; i++) await reader.query(execute)
  const { rows } = await reader.query(execute)
  await reader.query(`DEALLOCATE "${name}"`)
  return collectNodes(rows[0]['QUERY PLAN'][0].Plan)
}
