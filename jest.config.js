/** The kinds of tests, as Jest projects: `npx jest --selectProjects unit`. */
const { availableParallelism } = require('node:os')

const ONCE_PER_WORKER = '<rootDir>/test/jest/once-per-worker.js'

const common = {
  testEnvironment: ONCE_PER_WORKER,
  setupFiles: ['<rootDir>/test/jest/inputs.js'],
  // The first pattern counts. Three modules of tests use nothing of Jest, and keep something that other files need too.
  transform: {
    [`${__dirname}/test/(?!support/(databases|command-pools|openapi-check)\\.).*\\.ts$`]: [
      '@swc/jest',
      { jsc: { target: 'es2023', parser: { syntax: 'typescript' } } },
    ],
    '\\.[cm]?[jt]s$': ONCE_PER_WORKER,
  },
  transformIgnorePatterns: ['/node_modules/@?jest'],
  modulePathIgnorePatterns: ['<rootDir>/dist'],
}

/** Tests that need a database share one PostgreSQL. */
const withDatabase = {
  ...common,
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
}

/** Tests of large data, which `npm run test:soak` runs. */
const NIGHTLY = process.env.SOAK ? [] : ['<rootDir>/test/(imports|db/doctor)/munster', '<rootDir>/test/db/growth/']

const UNIT = '\\.unit\\.test\\.ts$'

/**
 * The isolation tests with one of the two scope checks disabled, which must pass, and with both disabled, where each test has to see data
 * of another company: this shows that the tests detect a leak.
 */
const withoutScopeChecks = (displayName, disabledScopeChecks) => ({
  ...withDatabase,
  displayName,
  testMatch: ['<rootDir>/test/isolation/responses.test.ts'],
  globals: { disabledScopeChecks },
})

/** @type {import('jest').Config} */
module.exports = {
  reporters: ['default', '<rootDir>/test/jest/skipped.js'],
  // Tests wait for PostgreSQL and other processes a third of their time.
  maxWorkers: Math.ceil(1.5 * availableParallelism()),
  // Tests never run in the process of global-setup.ts, which does not load modules once.
  workerIdleMemoryLimit: '8GB',
  testTimeout: 60_000,
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/**/*.unit.test.ts'],
      testPathIgnorePatterns: NIGHTLY,
    },
    {
      ...withDatabase,
      displayName: 'integration',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: [UNIT, '<rootDir>/test/(faults|isolation)/', ...NIGHTLY],
    },
    {
      ...withDatabase,
      displayName: 'isolation',
      testMatch: ['<rootDir>/test/isolation/**/*.test.ts'],
      testPathIgnorePatterns: [UNIT, ...NIGHTLY],
    },
    withoutScopeChecks('isolation-without-predicates', ['predicates']),
    withoutScopeChecks('isolation-without-row-level-security', ['row-level security']),
    withoutScopeChecks('isolation-without-both', ['predicates', 'row-level security']),
    {
      ...withDatabase,
      displayName: 'faults',
      testMatch: ['<rootDir>/test/faults/**/*.test.ts'],
      testPathIgnorePatterns: [UNIT],
    },
  ],
}
