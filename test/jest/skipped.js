/**
 * Reporter that names the tests that were skipped, and fails the run in CI where one of them is not in the list of those that may be, with
 * the reason.
 */
const { relative } = require('node:path')

/** Patterns of files and names, with the reason why such tests may be skipped. */
const MAY_BE_SKIPPED = [
  [/Münster/, 'the counts of Münster are not part of the project'],
  [/given\.txt/, 'its files are not part of the project'],
]

module.exports = class {
  constructor({ testNamePattern }) {
    this.isPart = Boolean(testNamePattern)
  }

  onRunComplete(_, { testResults }) {
    if (this.isPart) return
    const skipped = testResults.flatMap(({ testFilePath, testResults }) =>
      testResults
        .filter(({ status }) => status === 'pending')
        .map(({ fullName }) => ({ file: relative(process.cwd(), testFilePath), fullName })),
    )
    if (skipped.length === 0) return
    process.stderr.write(`\nSkipped:\n${skipped.map(({ file, fullName }) => `  ${file}: ${fullName}\n`).join('')}`)
    this.refused = skipped.filter(
      ({ file, fullName }) => !MAY_BE_SKIPPED.some(([pattern]) => pattern.test(`${file}: ${fullName}`)),
    )
  }

  getLastError() {
    if (!process.env.CI || !this.refused?.length) return undefined
    return new Error(`${this.refused.length} tests were skipped that need not be: install what they need`)
  }
}
