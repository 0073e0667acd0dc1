// Anywhere else GraphQL asks at each step whether there are two of it.
process.env.NODE_ENV = 'production'

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: '<rootDir>/test/support/environment.js',
  runtime: '<rootDir>/test/support/runtime.js',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // What takes long has a run of its own.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/faults/'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  transform: { '\\.[jt]s$': ['@swc/jest', { jsc: { target: 'es2023', parser: { syntax: 'typescript' } } }] },
  // In the tests' context each look at a global thing costs as much as a call.
  sandboxInjectedGlobals: [
    'Math',
    'Object',
    'Array',
    'Number',
    'String',
    'JSON',
    'BigInt',
    'Symbol',
    'Map',
    'Set',
    'WeakMap',
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist'],
  testTimeout: 30_000,
  // Jest would leave a core free; the tests wait for PostgreSQL and other processes much of the time. More than one a core
  // would bring a twentieth, and less of the time that each of them has.
  maxWorkers: '100%',
}
