/**
 * Parts of which statements are built. Knex's query builder puts them together once, when a module is loaded: building SQL
 * in each request would halve the rate of small responses.
 */
import createKnex, { type Knex } from 'knex'
import { COMPANY_SCOPE, type ScopedReader, type Statement } from '../postgres/scoped-reader'

/** Knex as a query builder. It has no connection. */
export const knex = createKnex({ client: 'pg' })

class Parameter {
  constructor(readonly name: string) {}
}

/** Returns a parameter of a built statement. It has one number, however often the statement refers to it. */
export const parameter = (name: string): Knex.Value => new Parameter(name) as unknown as Knex.Value

/** A statement whose parameters have names. */
export interface BuiltStatement<Parameters> extends Statement {
  /** Returns the values for the statement, in the order of its parameters; null for those that are missing. */
  bindValues(parameters: Parameters): unknown[]
}

/** Turns a query, whose bindings are parameters, into a statement. */
export function buildStatement<Parameters extends object>(
  name: string,
  query: Knex.QueryBuilder,
): BuiltStatement<Parameters> {
  const { sql, bindings } = query.toSQL().toNative()
  const used = bindings.map((binding: unknown) => {
    if (binding instanceof Parameter) return binding.name
    throw new Error(`${name} has a binding that is not a parameter: ${binding}`)
  })
  const names = [...new Set(used)]
  // Knex numbers each use of a parameter.
  const text = sql.replace(/\$(\d+)/g, (_, use) => `$${names.indexOf(used[use - 1]!) + 1}`)
  return {
    name,
    text,
    bindValues: parameters => names.map(each => (parameters as Record<string, unknown>)[each] ?? null),
  }
}

const built = new Map<string, BuiltStatement<never>>()

/** Returns the statement with a name, which is built when it is first used. */
export function buildOnce<Parameters extends object>(
  name: string,
  query: () => Knex.QueryBuilder,
): BuiltStatement<Parameters> {
  const statement = built.get(name) ?? buildStatement<never>(name, query())
  built.set(name, statement)
  return statement as BuiltStatement<Parameters>
}

/** Turns a query without columns into a statement that counts its rows. */
export const buildCount = <Parameters extends object>(
  name: string,
  query: Knex.QueryBuilder,
): BuiltStatement<Parameters> => buildStatement(name, query.select(knex.raw('count(*)::integer AS count')))

export async function readCount<Parameters extends object>(
  reader: ScopedReader,
  statement: BuiltStatement<Parameters>,
  parameters: Parameters,
): Promise<number> {
  const [row] = await reader.read<{ count: number }>(statement, statement.bindValues(parameters))
  return row?.count ?? 0
}

/**
 * Returns SQL: the ids of the rows of a page, as an array. The rows after the id `after` are looked up company by
 * company, in an index that begins with the company: a page takes no longer because of other companies, and reads none
 * of their rows. The range condition is an equality. Written as one, PostgreSQL would drop the company from the order,
 * and not use the index.
 */
export const idsOfPage = (table: 'assets' | 'sensors', after: string, limit: string): string => `ARRAY(
  SELECT page.id FROM unnest(${COMPANY_SCOPE}) AS scope (company) CROSS JOIN LATERAL (
    SELECT id FROM ${table} WHERE company >= scope.company AND company <= scope.company AND id > ${after}
    ORDER BY company, id LIMIT ${limit}
  ) AS page
  ORDER BY page.id LIMIT ${limit}
)`

/**
 * Returns the same of the rows that match a filter, as a condition on the column `id`. The parameters are `after` and `limit`.
 *
 * @param matches the rows of a table, by its alias, in no order
 */
export function isOnPageOf(matches: Knex.QueryBuilder, alias: string, direction: 'asc' | 'desc' = 'asc'): Knex.Raw {
  const [after, limit] = [parameter('after'), parameter('limit')]
  const page = matches
    .select(`${alias}.id`)
    .whereRaw(`${alias}.company >= scope.company AND ${alias}.company <= scope.company`)
    .whereRaw(direction === 'asc' ? `${alias}.id > :after` : `(:after = '' OR ${alias}.id < :after)`, { after })
    .orderByRaw(`${alias}.company ${direction}, ${alias}.id ${direction} LIMIT :limit`, { limit })
  return knex.raw(
    `${alias}.id = ANY (ARRAY(SELECT page.id FROM unnest(${COMPANY_SCOPE}) AS scope (company) CROSS JOIN LATERAL :page AS page
      ORDER BY page.id ${direction} LIMIT :limit))`,
    { page: page as unknown as Knex.Value, limit },
  )
}
