/** The command line. Each command has a file of its own, which is loaded only if the command is run. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { refuseKeys } from './keys/refuse-keys'
import { reportError, resultDelivered } from './output'
import { handleSignals } from './shutdown'
import { printable } from './text/printable'

/** The commands, with their files. */
const COMMANDS = {
  serve: './serve',
  migrate: './migrate',
  demo: './demo',
  import: './import',
  export: './export',
  keys: './keys',
  list: './operations/list',
  show: './operations/show',
  delete: './operations/delete',
  retain: './operations/retain',
  status: './operations/status',
  verify: './operations/verify',
  history: './operations/history',
  'legacy-traffic': './operations/legacy-traffic',
}

// Libraries read it while they load, and check more than production needs if it is not set.
process.env.NODE_ENV ??= 'production'

const program = new Command('partner-metrics')
  .description('Audience measurement of physical advertising assets for partners. Settings are environment variables.')
  .version(JSON.parse(readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8')).version)
  .addHelpText('after', '\nExit codes: 0 success, 1 error, 2 wrong usage or invalid settings.')
  .addHelpText('after', 'Settings and operation are documented at /docs/operations of the service.')
  .configureOutput({ outputError: (text, write) => write(printable(text)) })
  .exitOverride()

const [, , name] = process.argv
const requested = Object.entries(COMMANDS).find(([command]) => command === name)
for (const [, file] of requested ? [requested] : Object.entries(COMMANDS)) {
  const { register } = require(file) as { register(program: Command): void }
  register(program)
}

async function main(): Promise<void> {
  refuseKeys(process.argv)
  await program.parseAsync()
}

handleSignals()
main()
  .catch(error => {
    process.exitCode = reportError(error, process.argv.includes('--json'))
  })
  .then(resultDelivered)
  // Without an argument: it would replace the exit code that a command has set.
  .then(() => process.exit())
