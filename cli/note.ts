/** `partner-metrics note`: adds and removes notes on the data of assets and sensors. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Column } from '../db/columns'
import { addNote, NOTE_KIND, NOTE_TEXT, removeNote } from '../db/operations/notes'
import { recordedOptions } from '../db/operations/record'
import { type Invocation, UsageError } from './invocation'
import { withOwner } from './operations/owner'
import { dateValue, optionValue } from './option-values'

interface NoteOptions {
  asset?: string
  sensor?: string
  from: string
  to?: string
  kind: string
  text: string
  internal?: boolean
}

export function register(program: Command, invocation: Invocation): void {
  const commands = program
    .command('note')
    .description('add or remove a note on the data of an asset or sensor (`import notes` takes many)')
  commands
    .command('add')
    .description('add a note, which partners read beside the data')
    .option('--asset <asset>', 'id, legacy id or unique name of the asset', optionValue)
    .option(
      '--sensor <sensor>',
      'serial or id of the sensor: shown at the assets where it was on these days',
      optionValue,
    )
    .addOption(new Option('--from <date>', 'first day, local at the asset').argParser(dateValue).makeOptionMandatory())
    .option('--to <date>', 'last day, inclusive; without it, the note has no end', dateValue)
    .addOption(
      new Option('--kind <kind>', 'caveat: read with care; break: what was before the first day is not comparable')
        .argParser(parseBy(NOTE_KIND))
        .makeOptionMandatory(),
    )
    .addOption(new Option('--text <text>', 'what to say').argParser(parseBy(NOTE_TEXT)).makeOptionMandatory())
    .option('--internal', 'show it to analysts only')
    .action(async ({ asset, sensor, internal = false, ...note }: NoteOptions) => {
      if ((asset === undefined) === (sensor === undefined)) {
        throw new UsageError('USAGE', 'give either --asset or --sensor, to say what the note is on')
      }
      if (note.to !== undefined && note.to < note.from) {
        throw new UsageError('USAGE', `--to ${note.to} is before --from ${note.from}`)
      }
      const subject = { of: asset === undefined ? 'sensor' : 'asset', reference: asset ?? sensor! } as const
      const details = recordedOptions({ asset, sensor, ...note, internal })
      const id = await withOwner(invocation, ({ pool }) =>
        addNote(pool, { ...note, ...subject, internal }, details, invocation.printMessage),
      )
      invocation.printResult({ id }, () => `added the note ${id}`)
    })
  commands
    .command('remove')
    .description('remove a note')
    .argument('<id>', 'its id, as `list notes` shows it')
    .action(async (id: string) => {
      await withOwner(invocation, ({ pool }) => removeNote(pool, id, invocation.printMessage))
      invocation.printResult({ id }, () => `removed the note ${id}`)
    })
}

/** Returns a parser of the values that a column of a file has. */
const parseBy =
  ({ parse, expected }: Column) =>
  (text: string): string => {
    const value = parse(optionValue(text), 'UTC')
    if (value !== undefined) return value
    throw new InvalidArgumentError(`It must be ${expected}.`)
  }
