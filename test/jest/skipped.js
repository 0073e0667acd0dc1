/**
 * Reporter that names the tests that were skipped, and fails the run in CI where one of them is not in the list of those that may be, with
 * the reason.
 */
const { relative } = require('node:path')

/** By the begin of the file's path, the reason why its tests may be skipped. */
const MAY_BE_SKIPPED = {
  'test/imports/munster.test.ts': 'the counts of Münster are not part of the project',
  'test/imports/implausible-munster.test.ts': 'the counts of Münster are not part of the project',
  'test/db/doctor/munster.unit.test.ts': 'the counts of Münster are not part of the project',
}

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
    this.refused = skipped.filter(({ file }) => !(file in MAY_BE_SKIPPED))
  }

  getLastError() {
    if (!process.env.CI || !this.refused?.length) return undefined
    return new Error(`${this.refused.length} tests were skipped that need not be: install what they need`)
  }
}
