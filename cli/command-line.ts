/** The command line. Each command has a file of its own, which is loaded only if the command is run. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { Invocation, type Streams } from './invocation'
import { refuseKeys } from './keys/refuse-keys'
import { packageDirectory } from './settings'
import { printable } from './text/printable'

/** The commands, with their files. */
const COMMANDS = {
  serve: './serve',
  migrate: './migrate',
  demo: './demo',
  import: './import',
  export: './export',
  pull: './pull/pull',
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

/** The width of help that is not printed on a terminal. */
const DEFAULT_WIDTH = 80

/**
 * Runs a command to its end.
 *
 * @param args without the program's name
 * @returns the exit code: 0 success, 1 error, 2 wrong usage or invalid settings
 */
export async function run(args: readonly string[], env: NodeJS.ProcessEnv, streams: Streams): Promise<number> {
  const invocation = new Invocation(args, env, streams)
  try {
    refuseKeys(args)
    await createProgram(invocation).parseAsync(args, { from: 'user' })
  } catch (error) {
    invocation.reportError(error)
  }
  await invocation.delivered()
  return invocation.exitCode
}

function createProgram(invocation: Invocation): Command {
  const program = new Command('partner-metrics')
    .description(
      'Audience measurement of physical advertising assets for partners. Settings are environment variables.',
    )
    .version(JSON.parse(readFileSync(join(packageDirectory(), 'package.json'), 'utf8')).version)
    .addHelpText('after', '\nExit codes: 0 success, 1 error, 2 wrong usage or invalid settings.')
    .addHelpText('after', 'Settings and operation are documented at /docs/operations of the service.')
    .configureOutput({
      writeOut: text => invocation.stdout.write(text),
      writeErr: text => invocation.stderr.write(text),
      getOutHelpWidth: () => invocation.stdout.columns ?? DEFAULT_WIDTH,
      getErrHelpWidth: () => invocation.stderr.columns ?? DEFAULT_WIDTH,
      outputError: (text, write) => write(printable(text)),
    })
    .exitOverride()
  const [name] = invocation.args
  const requested = Object.entries(COMMANDS).find(([command]) => command === name)
  for (const [, file] of requested ? [requested] : Object.entries(COMMANDS)) {
    const { register } = require(file) as { register(program: Command, invocation: Invocation): void }
    register(program, invocation)
  }
  return program
}
