/** The options of `import`, in groups of its help by what one wants to say about a file. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { NATIVE_GRAINS } from '../../db/calendar/grains'
import { REPEATED_HOURS } from '../../imports/counts/count-options'
import { DELIMITERS, type Delimiter, ENCODINGS } from '../../imports/csv/file-form'
import { columnOptionErrors } from '../../imports/csv/header/column-options'
import { NUMBERED_GRAINS } from '../../imports/csv/times/joined-times'
import { DECIMALS, THOUSANDS, VALUE_TYPES, valueOptionErrors } from '../../imports/csv/values'
import type { Kind } from '../../imports/kind-names'
import { KINDS } from '../../imports/kinds'
import { UsageError } from '../invocation'
import { addChoices, addRestatementOptions, checkRestatementOptions, optionValue, wholeNumber } from '../option-values'
import type { ImportFilesOptions } from './import-files'

/** Options as Commander returns them. */
export interface GivenOptions extends Omit<ImportFilesOptions, 'header'> {
  /** False with `--no-header`. */
  header: boolean
  columns?: string[]
}

type Configure = (option: Option) => Option

/** The columns and types of columns of which a kind needs one for an option; any kind has all other options. */
const needs = new WeakMap<Option, readonly string[]>()

export function hasOption(kind: Kind, option: Option): boolean {
  const columns: readonly string[] = KINDS[kind].columns
  const names = [...columns, ...columns.map(column => VALUE_TYPES[column])]
  return needs.get(option)?.some(name => names.includes(name)) ?? true
}

const parsedBy =
  <Value>(parse: (text: string, previous: Value) => Value): Configure =>
  option =>
    option.argParser(parse)

const [line, pairs, list] = [parsedBy(wholeNumber(1000)), parsedBy(parsePair), parsedBy(appendList)]

const choice =
  (choices: readonly string[]): Configure =>
  option =>
    addChoices(option, choices)

const [TIMES, NUMBERS, COUNTS, IMPRESSIONS] = [['instant', 'date'], ['whole', 'decimal'], ['impressions'], ['start']]

export function addOptions(command: Command): Command {
  const add = (flags: string, description: string, configure: Configure = option => option, needed?: string[]) => {
    const option = configure(new Option(flags, description))
    if (needed) needs.set(option, needed)
    command.addOption(option)
  }
  command.optionsGroup('The file:')
  add('--delimiter <character>', 'between values: "," ";" "|" or tab; else a comma', parsedBy(parseDelimiter))
  add('--encoding <name>', `${ENCODINGS.join(', ')}`, choice(ENCODINGS))
  add('--header-line <number>', 'the line of the header; else the first one', line)
  add('--no-header', 'there is no header: --columns names the columns')
  add('--columns <names>', 'names of the columns, separated by commas', parsedBy(parseList))
  add('--footer-lines <number>', 'lines at the end that are no rows, such as sums', line)
  add('--comment <text>', 'leave out lines that begin with this text', parsedBy(parseComment))
  add('--short-rows', 'cells missing at the end of a row are empty')
  add('--missing <values>', 'texts for no value, such as NA,- (repeatable)', list)
  command.optionsGroup('Its columns (an option for each of them):')
  add('--map <column=name>', "its name in the file; A+B joins, 'x'+A with a text", pairs)
  add('--ignore <name>', 'leave out a column; * is any text', parsedBy(append))
  add('--set <column=value>', 'the same value in every row', pairs)
  add('--sum <column=A+B>', 'add up; impressions=In+Out, with --wide SN-1=A+B', pairs, COUNTS)
  add('--wide', 'each column that no option names is a sensor', undefined, IMPRESSIONS)
  add('--across', "each column is a time of the row's day", undefined, IMPRESSIONS)
  add('--serial <name=serial>', 'the serial of a sensor; * is any text', pairs, ['sensor'])
  command.optionsGroup('Its times (--time-format for each form that they have):')
  add('--time-format <tokens>', "'dd.MM.yyyy HH:mm', epoch, epoch-ms, excel, range", parsedBy(append), TIMES)
  add('--language <tag>', 'of names of months and weekdays; else en', undefined, TIMES)
  add('--time-zone <zone>', "of times without an offset; else the asset's", undefined, ['instant'])
  add('--stamps <bound>', 'a time is the start or end of a row; else start', choice(['start', 'end']), IMPRESSIONS)
  add('--interval <grain>', 'what a row covers, if the file does not show it', choice(NATIVE_GRAINS), IMPRESSIONS)
  add(
    '--interval-number <grain>',
    'start ends with the number of such an interval',
    choice(NUMBERED_GRAINS),
    IMPRESSIONS,
  )
  add('--first-interval <number>', 'the first of these numbers: 0 or 1; else 0', choice(['0', '1']), IMPRESSIONS)
  add('--repeated-hour <pass>', 'first or second, if a file has the hour once', choice(REPEATED_HOURS), IMPRESSIONS)
  add('--skipped-hour <drop>', 'drop counts in the hour that the clock skips', choice(['drop']), IMPRESSIONS)
  command.optionsGroup('Its counts and other numbers:')
  add('--decimal <character>', 'before decimals: "," or "."', choice(DECIMALS), NUMBERS)
  add('--thousands <character>', 'between groups of digits: "," "." " " or "\'"', choice(THOUSANDS), NUMBERS)
  add('--erase', 'an empty value removes what is stored', undefined, COUNTS)
  add('--sum-to-grain', "add up counts finer than the sensor's interval", undefined, IMPRESSIONS)
  add('--refuse-implausible', 'refuse counts far above those of 56 days before', undefined, IMPRESSIONS)
  add('--extend-installations', 'counts outside of installations extend them', undefined, IMPRESSIONS)
  command.optionsGroup('The import:')
  add('--skip-faulty', 'store the valid rows even if others have errors')
  add('--rejects <file>', 'write rows with errors to a new CSV file', parsedBy(optionValue))
  add('--dry-run', 'store nothing; show what would be stored')
  addRestatementOptions(command)
  return command.helpOption('-h, --help', 'show this; `import KIND --help` for one kind')
}

/** @throws UsageError for options that do not fit each other or the kind */
export function readOptions(
  kind: Kind,
  files: readonly string[],
  given: GivenOptions,
  command: Command,
): ImportFilesOptions {
  const { header: hasHeader, columns, ...options } = given
  checkRestatementOptions(options)
  const others = command.options.filter(
    option => command.getOptionValueSource(option.attributeName()) === 'cli' && !hasOption(kind, option),
  )
  const errors = [
    ...others.map(({ long }) => `${long} is no option of \`import ${kind}\`, whose --help lists its options`),
    ...columnOptionErrors(KINDS[kind], options),
    ...valueOptionErrors(options, KINDS[kind].columns),
  ]
  if (!hasHeader && !columns) errors.push('--no-header needs the names of the columns: --columns a,b,c')
  if (hasHeader && columns) errors.push('--columns is for files without a header: give --no-header too')
  if (!hasHeader && options.headerLine) errors.push('--no-header and --header-line contradict each other')
  if (files.filter(file => file === '-').length > 1) errors.push('standard input (-) can be read only once')
  if (options.rejects === '-') errors.push('--rejects must be a file')
  if (errors.length > 0) throw new UsageError('USAGE', errors.join('\n'))
  return !hasHeader && columns ? { ...options, header: columns } : options
}

function parsePair(text: string, previous: [string, string][] = []): [string, string][] {
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
  const isDelimiter = (value: string): value is Delimiter => (DELIMITERS as readonly string[]).includes(value)
  if (!isDelimiter(delimiter)) throw new InvalidArgumentError('It must be one of , ; | or tab.')
  return delimiter
}

function parseList(text: string): string[] {
  return text
    .normalize('NFC')
    .split(',')
    .map(name => name.trim())
}

function appendList(text: string, previous: string[] = []): string[] {
  return [...previous, ...parseList(text)]
}

function append(text: string, previous: string[] = []): string[] {
  return [...previous, text.normalize('NFC')]
}
