#!/usr/bin/env node
/** The command line of the operator: one file a command, and the exit code that each comes to. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { registerDemo } from './demo'
import { registerImport } from './import'
import { heedSignals } from './interruption'
import { registerKeys } from './keys'
import { registerLegacyTraffic } from './legacy-traffic'
import { registerMigrate } from './migrate'
import { tellFault } from './output'
import { registerServe } from './serve'

const program = new Command('partner-metrics')
  .description('Audience measurement of physical advertising assets for partners. Settings are environment variables.')
  .version(JSON.parse(readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8')).version)
  .addHelpText('after', '\nExits with 0, with 1 for a fault that it names, with 2 for wrong usage or settings.')
  .addHelpText('after', 'All settings, and how to run it: /docs/operations of the service.')
  .exitOverride()

registerServe(program)
registerMigrate(program)
registerDemo(program)
registerImport(program)
registerKeys(program)
registerLegacyTraffic(program)

heedSignals()
program.parseAsync().then(
  () => process.exit(),
  error => process.exit(tellFault(error, process.argv.includes('--json'))),
)
