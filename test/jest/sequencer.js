/**
 * Starts the longest test files first, so that none runs alone at the end. Jest does so itself with the durations of the run
 * before; in a fresh clone it would begin with the largest files.
 */
const { default: Sequencer } = require('@jest/test-sequencer')

/** Files that take at least ten seconds, the longest first. */
const LONGEST = [
  'isolation/responses',
  'embedded/embedded-cluster',
  'cli/demo',
  'cli/workers',
  'explorer/explorer',
  'openapi/client',
  'rest-gateway/row-order',
  'import/installations-model',
  'admission/admission',
  'operations/verify',
  'cli/serve',
  'ops/restore',
  'isolation/offboarding',
  'cli/import',
  'operations/delete',
  'cli/backup',
  'routes/demographics-model',
  'isolation/plans',
  'import/installations',
  'backup/round-trip',
]

const rank = ({ path }) => {
  const index = LONGEST.findIndex(name => path.endsWith(`/${name}.test.ts`))
  return index === -1 ? LONGEST.length : index
}

module.exports = class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests)
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}
