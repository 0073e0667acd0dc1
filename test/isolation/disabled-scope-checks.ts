/**
 * Disables the scope predicates for a run of the tests: every statement then reads all companies. createDatabase() disables
 * the other check, row-level security.
 */
const { disabledScopeChecks = [] } = globalThis as { disabledScopeChecks?: string[] }

if (disabledScopeChecks.includes('predicates')) {
  jest.mock('../../db/postgres/scoped-reader', () => {
    const predicate: keyof typeof import('../../db/postgres/scoped-reader') = 'COMPANY_SCOPE'
    return {
      ...jest.requireActual('../../db/postgres/scoped-reader'),
      [predicate]: '(ARRAY(SELECT generate_series(1, 1000)))',
    }
  })
}
