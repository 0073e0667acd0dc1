const ordinary = require('./jest.config.js')

/** What takes long: faults and load, on processes as they run in production. One file after another, so that figures mean something. */
/** @type {import('jest').Config} */
module.exports = {
  ...ordinary,
  testMatch: ['<rootDir>/test/faults/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 180_000,
  maxWorkers: 1,
}
