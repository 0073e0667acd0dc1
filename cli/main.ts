#!/usr/bin/env node
/** The command line of the operator: one file a command, and the exit code that each comes to. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { heedSignals } from './interruption'
import { reportError } from './output'

const COMMANDS = ['serve', 'migrate', 'demo', 'import', 'keys', 'legacy-traffic']

// Libraries look for it while they are loaded, and in any other mode check more than they have to.
process.env.NODE_ENV ??= 'production'

// pg looks what it runs on. Node tells so from 21 on; before, pg would find out with what Node loads for fetch alone.
if (!('navigator' in globalThis)) Object.assign(globalThis, { navigator: { userAgent: 'Node.js' } })

const program = new Command('partner-metrics')
  .description('Audience measurement of physical advertising assets for partners. Settings are environment variables.')
  .version(JSON.parse(readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8')).version)
  .addHelpText('after', '\nExits with 0, with 1 for a fault that it names, with 2 for wrong usage or settings.')
  .addHelpText('after', 'All settings, and how to run it: /docs/operations of the service.')
  .exitOverride()

// What a command loads takes longer than what most of them do: the others' files are not looked at.
const asked = COMMANDS.filter(name => name === process.argv[2])
for (const name of asked.length > 0 ? asked : COMMANDS) {
  const { register } = require(`./${name}`) as { register(program: Command): void }
  register(program)
}

heedSignals()
program.parseAsync().then(
  () => process.exit(),
  error => process.exit(reportError(error, process.argv.includes('--json'))),
)
