/** Wrong edits of commands: their usage, results and exit codes, what they store, print and refuse. */
import type { Mutant } from './mutant'

export default [
  {
    mutant: 'an error of a setting repeats a password',
    file: 'cli/settings.ts',
    replace: "${parser.secret ? '' :",
    by: "${parser.secret === undefined ? '' :",
    test: 'cli/settings',
  },
  {
    mutant: 'a key of all companies needs no scope of analysts',
    file: 'cli/keys.ts',
    replace: 'if (allCompanies && !scope.includes(ANALYST_SCOPE))',
    by: 'if (allCompanies && scope.length > 1)',
    test: 'cli/usage',
    name: 'reports wrong usage',
  },
  {
    mutant: 'a killed service of this machine is taken for a running one',
    file: 'cli/operations/status.ts',
    replace: '!local && age <= MAX_AGE_SECONDS',
    by: 'age <= MAX_AGE_SECONDS',
    test: 'cli/records.test',
    name: 'status exits for',
  },
  {
    mutant: 'a dry run with --yes changes data',
    file: 'cli/operations/confirm.ts',
    replace: 'if (yes && !dryRun) return change.run(pool)',
    by: 'if (yes) return change.run(pool)',
    test: 'cli/commands.test',
    name: 'would be deleted',
  },
  {
    mutant: 'retention deletes the first day that it has to keep',
    file: 'cli/operations/retain.ts',
    replace: 'to: dateOf(first - 1) }',
    by: 'to: dateOf(first) }',
    test: 'cli/records.test',
    name: 'of old data',
  },
  {
    mutant: 'offboarding takes sensors that were at another company, too',
    file: 'db/operations/deletion.ts',
    replace: `
EXCEPT SELECT sensor FROM installations WHERE asset <> ALL ($1)`,
    by: '',
    test: 'cli/records.test',
    name: 'of companies take everything',
  },
  {
    mutant: 'the legacy interface is safe to retire a day too early',
    file: 'cli/operations/legacy-traffic.ts',
    replace: 'if (days >= SILENT_DAYS)',
    by: 'if (days >= SILENT_DAYS - 1)',
    test: 'cli/records.test',
    name: 'is safe only after 30 days',
  },
  {
    mutant: 'names with control characters act on the terminal',
    file: 'cli/invocation.ts',
    replace: 'this.stdout.write(printable(`${text}\\n`))',
    by: 'this.stdout.write(`${text}\\n`)',
    test: 'cli/control-characters',
    name: 'are printed by no command',
  },
  {
    mutant: 'an argument with a key is passed on, and repeated by errors',
    file: 'cli/command-line.ts',
    replace: '/msk_(test|live)_/i.test(argument)',
    by: '/^msk_(test|live)_$/i.test(argument)',
    test: 'cli/keys.test',
    name: 'given as an argument',
  },
  {
    mutant: 'the service starts with a reader that may write',
    file: 'cli/serve/check-reader.ts',
    replace: 'if (excesses.length === 0) {',
    by: 'if (excesses.length < 9) {',
    test: 'cli/refused-starts',
    name: 'names the setting of what it cannot use',
  },
  {
    mutant: 'messages that nobody reads yet are dropped',
    file: 'cli/text/message-log.ts',
    replace: `this.buffer.push(text)
`,
    by: `if (this.file === undefined) this.buffer.push(text)
`,
    test: 'cli/import.test',
    name: 'while nobody reads',
  },
  {
    mutant: 'a key is rotated though the new one could not be printed',
    file: 'cli/invocation.ts',
    replace: '    if (!this.outputError) return\n',
    by: '    if (!this.outputError || this.exitCode === 0) return\n',
    test: 'cli/keys',
    name: 'could not be printed',
  },
] satisfies Mutant[]
