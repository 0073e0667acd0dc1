/** The command line. Each command has a file of its own, which is loaded only if the command is run. */
import { Command } from 'commander'
import { Invocation, type Streams } from './invocation'
import { packageVersion } from './package-directory'
import { EXAMPLES } from './text/examples'
import { printable } from './text/printable'
import { UsageError } from './usage-error'

/** The commands, with their files. */
const COMMANDS = {
  serve: './serve/serve',
  migrate: './migrate',
  demo: './serve/demo',
  import: './import/import',
  export: './export',
  pull: './pull',
  keys: './keys/keys',
  list: './operations/list',
  show: './operations/show',
  delete: './operations/delete',
  note: './note',
  retain: './operations/retain',
  'set-aside': './set-aside/set-aside',
  restore: './set-aside/restore',
  status: './operations/status',
  verify: './operations/verify',
  doctor: './doctor',
  zones: './operations/zones',
  close: './operations/close',
  history: './operations/history',
  'legacy-traffic': './operations/legacy-traffic',
}

/** Options of Commander that print the version. */
const VERSION_OPTIONS = ['-V', '--version']

/** The width of help that is not printed on a terminal. */
const DEFAULT_WIDTH = 80

/** A command that prints a result also has the option to print it as JSON. */
class ResultCommand extends Command {
  override createCommand(name: string): Command {
    return new ResultCommand(name)
  }

  override action(run: Parameters<Command['action']>[0]): this {
    if (this.name() !== 'serve') this.option('--json', 'print one JSON document')
    const path = [this.parent?.name(), this.name()].slice(this.parent?.parent ? 0 : 1).join(' ')
    const example = EXAMPLES[path]
    if (example !== undefined) this.addHelpText('after', `\nExample:\n  partner-metrics ${path} ${example}`.trimEnd())
    return super.action(run)
  }
}

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
    const [name] = args
    const requested = Object.entries(COMMANDS).filter(([command]) => command === name)
    // Help lists all commands, and so does the error about one that is unknown.
    const isComplete = requested.length > 0 || VERSION_OPTIONS.includes(name!)
    await createProgram(invocation, isComplete ? requested : undefined).parseAsync(args, { from: 'user' })
  } catch (error) {
    invocation.reportError(error)
  }
  await invocation.delivered()
  return invocation.exitCode
}

/** Creates the program with its commands. @param commands all by default */
export function createProgram(invocation: Invocation, commands = Object.entries(COMMANDS)): Command {
  const program = new ResultCommand('partner-metrics')
    .description(
      'Counts of the people who pass physical advertising assets, for partners. Settings are environment variables.',
    )
    .version(packageVersion())
    .addHelpText('after', '\nExit codes: 0 success, 1 error, 2 wrong usage or invalid settings.')
    .addHelpText('after', 'Settings and operation are documented at /docs/running of the service.')
    .configureOutput({
      writeOut: text => invocation.stdout.write(text),
      writeErr: text => invocation.stderr.write(text),
      getOutHelpWidth: () => invocation.stdout.columns ?? DEFAULT_WIDTH,
      getErrHelpWidth: () => invocation.stderr.columns ?? DEFAULT_WIDTH,
      outputError: (text, write) => write(`${printable(text).trimEnd()}\n`),
    })
    .exitOverride()
  for (const [, file] of commands) {
    const { register } = require(file) as { register(program: Command, invocation: Invocation): void }
    register(program, invocation)
  }
  return program
}

/** Refuses arguments with an API key, before any message can repeat them. @throws UsageError */
function refuseKeys(args: readonly string[]): void {
  if (!args.some(argument => /msk_(test|live)_/i.test(argument))) return
  throw new UsageError(
    'KEY_IN_ARGUMENT',
    'an argument contains an API key, which is now in your shell history and was visible in the list of processes: ' +
      'delete it from the history or rotate the key. Give - as ID, and pass the key on standard input',
  )
}
