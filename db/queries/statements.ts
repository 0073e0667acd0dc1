/**
 * Runs the statements of this folder. Each is SQL that names its parameters: `:from`. It is put together once, when it is first used:
 * building SQL in each request would halve the rate of small responses.
 */
import { COMPANY_SCOPE, inScope, type ScopedReader, type Statement } from '../postgres/scoped-reader'

/** A statement with the names of its parameters, in their order. */
interface NamedStatement extends Statement {
  parameters: readonly string[]
}

const built = new Map<string, NamedStatement>()

/**
 * Reads the rows of a statement.
 *
 * @param name the name under which PostgreSQL prepares it: statements of one name are the same
 * @param parameters their values by name; null for those that are missing
 */
export function readRows<Row>(
  reader: ScopedReader,
  name: string,
  sql: () => string,
  parameters: object = {},
): Promise<Row[]> {
  const statement = built.get(name) ?? buildStatement(name, sql())
  const values = parameters as Record<string, unknown>
  return reader.read(
    statement,
    statement.parameters.map(each => values[each] ?? null),
  )
}

/** Returns the first row; undefined without one. */
export const readRow = async <Row>(...request: Parameters<typeof readRows<Row>>): Promise<Row | undefined> =>
  (await readRows<Row>(...request))[0]

function buildStatement(name: string, sql: string): NamedStatement {
  const parameters: string[] = []
  // Texts in quotes are matched first, and stay as they are.
  const text = sql.replace(/'[^']*'|(?<!:):([a-z]\w*)/gi, (match, parameter) => {
    if (parameter === undefined) return match
    if (!parameters.includes(parameter)) parameters.push(parameter)
    return `$${parameters.indexOf(parameter) + 1}`
  })
  const statement = { name, text, parameters }
  built.set(name, statement)
  return statement
}

/** Returns columns for a SELECT. @param columns their SQL by name */
export const named = (columns: Readonly<Record<string, string>>): string[] =>
  Object.entries(columns).map(([name, sql]) => `${sql} AS "${name}"`)

/**
 * Returns SQL: the ids of the rows of a page, as an array. The rows behind the id `:after` are looked up company by company, in an index
 * that begins with the company: a page takes no longer because of other companies, and reads none of their rows. The range condition
 * is an equality. Written as one, PostgreSQL would drop the company from the order, and not use the index.
 *
 * @param rows the assets `a` or sensors `s`, and what they are joined with
 * @param matches a condition on them
 */
export const idsOfPage = (rows: string, alias: 'a' | 's', matches = 'true'): string => `ARRAY(
  SELECT page.id FROM unnest(${COMPANY_SCOPE}) AS scope (company) CROSS JOIN LATERAL (
    SELECT ${alias}.id FROM ${rows}
    WHERE ${alias}.company >= scope.company AND ${alias}.company <= scope.company AND ${alias}.id > :after AND ${matches}
    ORDER BY ${alias}.company, ${alias}.id LIMIT :limit
  ) AS page
  ORDER BY page.id LIMIT :limit
)`

/** SQL: conditions on rows of assets. Any id is an id, or a legacy id: a whole number without leading zeros in the range of integers. */
const LOOKUPS = {
  id: 'id = :id',
  'any-id': `(id = :id OR legacy_id = CASE
    WHEN :id ~ '^[1-9][0-9]{0,9}$' AND :id::bigint <= 2147483647 THEN :id::bigint END)`,
  ids: 'id = ANY (:id::text[])',
}

export type LookUp = keyof typeof LOOKUPS

/** Returns the SQL of a subquery with these columns of the assets in scope that the parameter `:id` names. */
export const findAssets = (columns: string, by: LookUp): string =>
  `(SELECT ${columns} FROM assets WHERE ${LOOKUPS[by]} AND ${inScope('company')})`
