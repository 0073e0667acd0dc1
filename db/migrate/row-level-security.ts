/** Row-level security of tables that a migration adds. */

/** Returns SQL: nobody but the owner of today sees rows of the tables, unless other policies show some. */
export const protectTables = (...tables: readonly string[]): string =>
  tables
    .map(
      table => `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON ${table} TO CURRENT_USER USING (true) WITH CHECK (true);`,
    )
    .join('\n')

/** SQL: the companies of the authenticated key. The sub-select makes PostgreSQL evaluate the function once for a statement. */
const IN_SCOPE = 'company = ANY ((SELECT companies_in_scope())::integer[])'

/** Returns SQL: a key sees the rows of the tables that belong to its companies. */
export const showToCompanies = (...tables: readonly string[]): string =>
  tables.map(table => `CREATE POLICY company_scope ON ${table} FOR SELECT USING (${IN_SCOPE});`).join('\n')

/**
 * Returns SQL: a key sees the rows of a table for which there is a row of another one that belongs to its companies.
 *
 * @param condition SQL: that row is one of the other table, as `other`
 */
export const showWhereExists = (table: string, other: string, condition: string): string =>
  `CREATE POLICY company_scope ON ${table} FOR SELECT USING (EXISTS (
  SELECT FROM ${other} AS other WHERE ${condition} AND other.${IN_SCOPE}));`
