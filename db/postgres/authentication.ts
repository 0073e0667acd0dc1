/** The statements with which the batches of a scoped reader begin. */
import type { Statement } from './batch'

/** Stores the hash of a key and the numbers of its companies in the transaction. */
export const AUTHENTICATE_KEY: Statement = { name: 'authenticate-key', text: 'SELECT authenticate_key($1) AS key' }

/** Instead of authenticating a key: gives the owner's login the scope of companies, or of all. */
export const CHOOSE_COMPANIES: Statement = {
  name: 'choose-companies',
  text: `
SELECT json_build_object('id', 'operator', 'label', NULL, 'scopes', '{}'::text[], 'reseller', false,
  'all_companies', $1::integer[] IS NULL, 'rate', NULL) AS key,
  set_config('partner_metrics.companies', ARRAY(SELECT number FROM companies WHERE $1 IS NULL OR number = ANY ($1))::text, true)`,
}
