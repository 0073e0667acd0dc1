/**
 * The second wall: whatever a statement says, rows of companies that the presented key does not carry are not there.
 * The scope is worked out once a statement (the sub-select), not once a row. The owner, who imports, sees all rows.
 */
const walled = {
  companies: 'number',
  assets: 'company',
  sensors: 'company',
  former_installations: 'company',
  sensor_days: 'company',
  origins: 'company',
  demographic_days: 'company',
}

const ownersOnly = ['api_keys', 'api_key_companies']

const policies = (table: string) => `
ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON ${table} TO CURRENT_USER USING (true) WITH CHECK (true);
`

export const up = [
  ...[...Object.keys(walled), ...ownersOnly].map(policies),
  ...Object.entries(walled).map(
    ([table, company]) => `
CREATE POLICY presented_key ON ${table} FOR SELECT
  USING (${company} = ANY ((SELECT companies_of_presented_key())::integer[]));
`,
  ),
].join('')
