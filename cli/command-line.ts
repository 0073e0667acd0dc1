/** The command line. Each command has a file of its own, which is loaded only if the command is run. */
import { Command } from 'commander'
import { Invocation, type Streams, UsageError } from './invocation'
import { packageVersion } from './package-directory'
import { printable } from './text/printable'

const COMMANDS = {
  serve: './serve/serve',
  migrate: './migrate',
  demo: './serve/demo',
  import: './import/import',
  export: './export',
  pull: './pull',
  keys: './keys',
  list: './operations/list',
  show: './operations/show',
  delete: './operations/delete',
  note: './note',
  retain: './operations/retain',
  'set-aside': './set-aside',
  restore: './set-aside',
  status: './operations/status',
  verify: './operations/verify',
  doctor: './doctor',
  zones: './operations/zones',
  close: './operations/close',
  history: './operations/history',
  'legacy-traffic': './operations/legacy-traffic',
}

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
  for (const file of new Set(commands.map(([, file]) => file))) {
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

const [PERIOD, DAYS] = ['--sensor SN-1 --from 2026-01-05', '--asset 101 --from 2026-01-05 \\\n    --to 2026-01-09']

const EXAMPLES: Readonly<Record<string, string>> = {
  migrate: '',
  demo: '',
  'import all': 'metrics-export',
  'keys issue': "--company 'Acme Outdoor' --label 'nightly copy'",
  'keys rotate': '- --overlap 24h',
  'keys deactivate': '-',
  'delete companies': "'Acme Outdoor' --dry-run",
  'delete assets': '101',
  'delete sensors': 'SN-1',
  'delete impressions': `${PERIOD} \\\n    --to 2026-01-09`,
  'delete origins': DAYS,
  'delete demographics': DAYS,
  'note add': `${DAYS} --kind caveat --text 'Road works, no bus stops'`,
  'note remove': 'xe3a3tj0mbtvbbq4r28k0u1c',
  retain: '--months 25 --dry-run',
  'set-aside impressions': `${PERIOD}T08:00 \\\n    --to 2026-01-05T12:00 --reason 'bus parked before it'`,
  restore: '1',
  verify: '--repair',
  'zones update': '--dry-run',
  close: "2026-01 --company 'Acme Outdoor'",
}
