/**
 * Starts the longest test files first, so that none runs alone at the end. Jest does so itself with the durations of the run
 * before; in a fresh clone it would begin with the largest files.
 */
const { default: Sequencer } = require('@jest/test-sequencer')

/**
 * Files that take at least ten seconds, the longest first. Those of `faults` wait most of the time, so one of them runs beside
 * others that do not.
 */
const LONGEST = [
  'faults/ending',
  'isolation/responses',
  'faults/load',
  'embedded/embedded-cluster',
  'cli/demo',
  'faults/database',
  'explorer/explorer',
  'openapi/client',
  'rest-gateway/row-order',
  'faults/kills',
  'import/installations-model',
  'admission/admission',
  'operations/verify',
  'faults/backup',
  'cli/serve',
  'ops/restore',
  'isolation/offboarding',
  'faults/import',
  'cli/import',
  'operations/delete',
  'cli/backup',
  'faults/replicas',
  'routes/demographics-model',
  'isolation/plans',
  'import/installations',
  'backup/round-trip',
  'faults/interleaving',
  'faults/replicas-isolation',
  'faults/replicas-alone',
  'faults/disk',
  'faults/tls',
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
