/** The command that keeps a copy: its options, what it prints, and its exit codes. */
import type { Readable, Writable } from 'node:stream'
import { Command, InvalidArgumentError, Option } from 'commander'
import { isDay } from './days'
import { type PullOptions, pull } from './pull'
import { PullError } from './pull-error'
import { GRAINS } from './tables'

/** The streams of a process, which opens them when they are accessed. */
interface Streams {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
}

type CommandOptions = PullOptions & { json?: boolean }

const help = (name: string): string => `
The first run copies everything, each further one what has changed. A run can be
interrupted at any time and started again. The tables are assets, sensors,
notes, impressions, origins and demographics by month, and state. There are no
rows without data.

Example:
  ${name} --url https://metrics.example \\
    --key-file metrics.key --to sqlite:metrics.db --grain hour

Exit codes: 0 the copy is complete, 1 it is not, or --verify found a difference,
2 wrong usage.`

/**
 * @param name as it is called, after that of the program that it is a part of
 * @param signal aborted when the process is to end, for an error with the code INTERRUPTED if that is regular
 * @param end called with the exit code
 */
export function pullCommand(
  name: string,
  streams: Streams,
  signal: AbortSignal,
  end: (exitCode: number) => void,
): Command {
  return new Command(name.split(' ').at(-1))
    .description("keep a copy of a partner's data in a database, with an API key")
    .requiredOption('--url <url>', 'the address of the service', optionValue)
    .requiredOption('--key-file <file>', 'a file with the API key; - reads standard input', optionValue)
    .requiredOption('--to <target>', 'sqlite:FILE, duckdb:FILE or postgres://USER@HOST/DATABASE', optionValue)
    .addOption(new Option('--grain <grain>', 'the length of a bucket of impressions').choices(GRAINS).default('day'))
    .option('--from <date>', 'the first day; by default everything is copied', dayValue)
    .option('--verify', 'compare the impressions of each asset with the service afterwards')
    .option('--json', 'print one JSON document')
    .addHelpText('after', help(name))
    .action(async (options: CommandOptions) => end(await run(options, streams, signal)))
}

/** Commander would take the next option for the value if that is missing. */
function optionValue(text: string): string {
  if (text.startsWith('--')) throw new InvalidArgumentError('Its value is missing: another option follows.')
  return text
}

function dayValue(text: string): string {
  if (isDay(optionValue(text))) return text
  throw new InvalidArgumentError('It must be a real date, as YYYY-MM-DD.')
}

async function run({ json, ...options }: CommandOptions, streams: Streams, signal: AbortSignal): Promise<number> {
  const report = (line: string) => void streams.stderr.write(printable(`${line}\n`))
  const print = (text: string) => void streams.stdout.write(printable(`${text}\n`))
  try {
    const { differences, ...summary } = await pull(options, streams, signal, report)
    const document = { ...summary, ...(differences && { differences }) }
    const { first, changes, rows } = summary
    const counts = Object.entries(rows).map(([table, count]) => `${count.toLocaleString('en')} ${table}`)
    const lines = [
      first ? 'first copy' : `changes: ${changes.toLocaleString('en')}`,
      `rows written: ${counts.join(', ')}`,
      ...(differences ?? []),
      ...(differences?.length === 0 ? ['verified: every asset has the impressions of the service'] : []),
    ]
    print(json ? JSON.stringify(document) : lines.join('\n'))
    return differences && differences.length > 0 ? 1 : 0
  } catch (error) {
    const { code, message } =
      error instanceof PullError ? error : { code: 'INTERNAL', message: `unexpected error: ${describe(error)}` }
    report(`error: ${message}`)
    if (json) print(JSON.stringify({ error: { code, message } }))
    return code === 'USAGE' ? 2 : 1
  }
}

function describe(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string }
  return message || code || String(error)
}

/** Escapes characters that act on a terminal instead of being seen, as JSON does; where the text is JSON, it still is. */
const printable = (text: string): string =>
  text.replace(/(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, character =>
    character.replace(/./gs, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
