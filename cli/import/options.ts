/** The options of `import`, in groups of its help. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { NATIVE_GRAINS } from '../../db/calendar/grains'
import { FACT_KINDS } from '../../db/facts'
import { countOptionErrors, REPEATED_HOURS, STAMPS } from '../../imports/counts/count-options'
import { ENCODINGS } from '../../imports/csv/encodings'
import type { Delimiter } from '../../imports/csv/file-form'
import { columnOptionErrors } from '../../imports/csv/header/column-options'
import { NUMBERED_GRAINS } from '../../imports/csv/times/joined-times'
import { DECIMALS, THOUSANDS, valueOptionErrors } from '../../imports/csv/values'
import type { Kind } from '../../imports/kind-names'
import { KINDS } from '../../imports/kinds'
import { optionValue, wholeNumber } from '../option-values'
import { addRevisionOptions, checkRevisionOptions } from '../revision-options'
import { UsageError } from '../usage-error'
import type { ImportFilesOptions } from './import-files'

type Pair = readonly [string, string]

/** Options as Commander returns them. */
export interface GivenOptions extends Omit<ImportFilesOptions, 'header'> {
  /** False with `--no-header`. */
  header: boolean
  columns?: string[]
  profile?: string
  json?: boolean
}

const parseLine = wholeNumber(1000)

/** @param profileOptions receives the options that a profile keeps */
export function addOptions(command: Command, profileOptions: Option[]): Command {
  const add = (flags: string, description: string, configure: (option: Option) => Option = option => option) =>
    command.addOption(configure(new Option(flags, description)))
  const addKept: typeof add = (...args) => {
    add(...args)
    profileOptions.push(command.options.at(-1) as Option)
    return command
  }
  command.optionsGroup('Form of the files:')
  addKept('--delimiter <character>', '"," ";" "|" or tab; by default detected', o => o.argParser(parseDelimiter))
  addKept('--encoding <name>', 'of files without byte order mark; utf-8 by default', o => o.choices(ENCODINGS))
  addKept('--header-line <number>', 'the line of the header; by default detected', o => o.argParser(parseLine))
  addKept('--footer-lines <number>', 'lines at the end that are no rows, such as sums', o => o.argParser(parseLine))
  addKept('--comment <text>', 'leave out lines that begin with this text', o => o.argParser(parseComment))
  addKept('--short-rows', 'cells that are missing at the end of a row are empty')
  addKept('--no-header', 'the files have no header: --columns names their columns')
  addKept('--columns <names>', 'names of the columns, separated by commas', o => o.argParser(parseList))
  addKept('--wide', 'impressions: every column that is neither mapped nor ignored is a sensor')
  addKept('--across', "impressions: every column that is neither mapped nor ignored is a time of the row's day")
  addKept('--serial <their_name=serial>', 'the serial of a sensor with another name; * is any text (repeatable)', o =>
    o.argParser(parsePair),
  )
  addKept(
    '--sum <column=their_name+their_name>',
    'add up columns: impressions=In+Out, or with --wide SERIAL=In+Out (repeatable)',
    o => o.argParser(parsePair),
  )
  command.optionsGroup('Columns:')
  addKept(
    '--map <column=their_name>',
    "the name of a column in the files; A+B joins two, 'text'+A a constant (repeatable)",
    o => o.argParser(parsePair),
  )
  addKept('--ignore <their_name>', 'leave out a column of the files; * is any text (repeatable)', o =>
    o.argParser(append),
  )
  addKept('--set <column=value>', 'a value for a column in all rows (repeatable)', o => o.argParser(parsePair))
  command.optionsGroup('Values:')
  addKept(
    '--time-format <tokens>',
    "form of dates and times, such as 'dd.MM.yyyy HH:mm', or epoch, epoch-ms, excel (repeatable)",
    o => o.argParser(append),
  )
  addKept('--language <tag>', 'language of the names of months and weekdays, such as de; en by default')
  addKept('--time-zone <zone>', "zone of times without an offset, such as UTC; by default the asset's")
  addKept('--decimal <character>', 'the character before decimals', o => o.choices(DECIMALS))
  addKept('--thousands <character>', 'the character between groups of three digits', o => o.choices(THOUSANDS))
  addKept('--missing <values>', 'values that mean that there is none, such as NA,- (repeatable)', o =>
    o.argParser(appendList),
  )
  command.optionsGroup('Counts:')
  add('--erase', `an empty value removes what is stored (${FACT_KINDS.join(', ')})`)
  addKept(
    '--repeated-hour <pass>',
    'the pass of a repeated hour that counts belong to, if a file has the hour only once',
    o => o.choices(REPEATED_HOURS),
  )
  addKept('--stamps <bound>', 'what a time names of the interval that a row covers; start by default', o =>
    o.choices(STAMPS),
  )
  addKept('--interval-number <grain>', 'the last column of start is the number of such an interval in its day', o =>
    o.choices(NUMBERED_GRAINS),
  )
  addKept('--first-interval <number>', 'the number of the first interval of a day; 0 by default', o =>
    o.choices(['0', '1']),
  )
  addKept('--skipped-hour <drop>', 'leave out counts in the hour that the clock skips', o => o.choices(['drop']))
  addKept('--interval <grain>', 'the time that one row covers, if a file does not show it', o =>
    o.choices(NATIVE_GRAINS),
  )
  addKept('--sum-to-grain', "add up counts that are finer than the sensor's interval")
  addKept(
    '--refuse-implausible',
    'refuse a file with counts far above what their sensor had in the 56 days before; by default a warning',
  )
  add('--extend-installations', 'counts before or after the installations of a sensor extend them')
  command.optionsGroup('Rows with errors:')
  add('--skip-faulty', 'store the valid rows of a file even if others have errors')
  add('--rejects <file>', 'write rows with errors to a CSV file of the same form, with line and reason', o =>
    o.argParser(optionValue),
  )
  command.optionsGroup('Ledger:')
  addRevisionOptions(command)
  command.optionsGroup('Run:')
  add('--dry-run', 'store nothing; print what would be stored, and the monthly totals that would change')
  add('--profile <file>', 'use the options saved in this JSON file, and save those of this command there', o =>
    o.argParser(optionValue),
  )
  add('--json', 'print one JSON document')
  return command
}

/** @throws UsageError for options that do not fit each other or the kind */
export function readOptions(kind: Kind, files: readonly string[], given: GivenOptions): ImportFilesOptions {
  const { header: hasHeader, columns, profile: _, json: __, ...options } = given
  checkRevisionOptions(options)
  const errors = [
    ...columnOptionErrors(KINDS[kind], options),
    ...valueOptionErrors(options, KINDS[kind].columns),
    ...countOptionErrors(options, KINDS[kind].columns),
  ]
  if (!hasHeader && !columns) errors.push('--no-header needs the names of the columns: --columns a,b,c')
  if (hasHeader && columns) errors.push('--columns is for files without a header: give --no-header too')
  if (!hasHeader && options.headerLine) errors.push('--no-header and --header-line contradict each other')
  if (files.filter(file => file === '-').length > 1) errors.push('standard input (-) can be read only once')
  if (options.rejects === '-') errors.push('--rejects must be a file')
  if (errors.length > 0) throw new UsageError('USAGE', errors.join('\n'))
  return !hasHeader && columns ? { ...options, header: columns } : options
}

function parsePair(text: string, previous: Pair[] = []): Pair[] {
  const [, column, value] = /^([^=]+)=(.*)$/s.exec(text.normalize('NFC')) ?? []
  if (column === undefined || value === undefined) throw new InvalidArgumentError('It must have the form column=….')
  return [...previous, [column.trim(), value]]
}

function parseComment(text: string): string {
  if (!/^[^"\s]/.test(text) || /[\r\n]/.test(text)) {
    throw new InvalidArgumentError(
      'It must be the beginning of a line, without a double quote or a blank at its start.',
    )
  }
  return text
}

function parseDelimiter(text: string): Delimiter {
  const delimiter = text === 'tab' || text === '\\t' ? '\t' : text
  if (![',', ';', '|', '\t'].includes(delimiter)) throw new InvalidArgumentError('It must be one of , ; | or tab.')
  return delimiter as Delimiter
}

const parseList = (text: string): string[] =>
  text
    .normalize('NFC')
    .split(',')
    .map(name => name.trim())

const appendList = (text: string, previous: string[] = []): string[] => [...previous, ...parseList(text)]

const append = (text: string, previous: string[] = []): string[] => [...previous, text.normalize('NFC')]
