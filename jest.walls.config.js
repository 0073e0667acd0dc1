/**
 * The tests of isolation with a wall taken down (test/isolation/walls-down.ts): without either they still hold, without
 * both each of them fails, which shows that it would tell.
 * @type {import('jest').Config}
 */
const { maxWorkers, ...common } = require('./jest.config.js')

module.exports = {
  maxWorkers,
  projects: [['first'], ['second'], ['first', 'second']].map(wallsDown => ({
    ...common,
    displayName: `without the ${wallsDown.join(' and the ')} wall`,
    testMatch: ['<rootDir>/test/isolation/answers.test.ts'],
    setupFiles: ['<rootDir>/test/isolation/walls-down.ts'],
    globals: { wallsDown },
  })),
}
