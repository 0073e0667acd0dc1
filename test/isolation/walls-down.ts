/**
 * Takes a wall down for a run of the tests, never in the service: the first by putting every company where statements name
 * the scope of the key. The second, row-level security, test/databases.ts takes down.
 */
if (wallsDown().includes('first')) {
  jest.mock('../../db/postgres/scoped-reader', () => ({
    ...jest.requireActual('../../db/postgres/scoped-reader'),
    COMPANY_SCOPE: '(ARRAY(SELECT generate_series(1, 1000)))',
  }))
}

function wallsDown(): string[] {
  return (globalThis as { wallsDown?: string[] }).wallsDown ?? []
}
