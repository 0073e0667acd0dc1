/** Parsers for the values of options. */
import { type Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { WINDOWS } from '../db/api-keys/rate'
import { isInstant } from '../db/calendar/instants'
import { isDate } from '../db/calendar/local-days'
import { suggestion } from '../db/nearest-name'
import type { RestatementOptions } from '../db/operations/restatement'
import { UsageError } from './invocation'

/** Parses the value of an option. Commander would take the next option for it if the value is missing. */
export function optionValue(text: string): string {
  if (text.startsWith('--')) throw new InvalidArgumentError('Its value is missing: another option follows.')
  return text
}

/** Limits an argument or option to some values; the error about another one names the nearest. */
export function addChoices<Limited extends Argument | Option>(limited: Limited, choices: readonly string[]): Limited {
  const parse = limited.choices(choices).parseArg!
  limited.argParser<unknown>((text, previous) => {
    if (choices.includes(text)) return parse(text, previous)
    throw new InvalidArgumentError(`It must be one of ${choices.join(', ')}${suggestion(text, choices)}`)
  })
  return limited
}

/** Returns a parser of whole numbers from 1 on. */
export const wholeNumber =
  (max: number) =>
  (text: string): number => {
    if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= max) return Number(text)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`)
  }

export function dateValue(text: string): string {
  if (isDate(optionValue(text))) return text
  throw new InvalidArgumentError('It must be a real date, as YYYY-MM-DD.')
}

const MAX_DURATION_DAYS = 30

/** Parses a duration such as `24h`. Returns seconds. @throws InvalidArgumentError */
export function durationValue(text: string): number {
  const [, number, unit = ''] = /^(\d{1,9})([a-z]+)$/.exec(optionValue(text)) ?? []
  const seconds = Number(number) * (Object.hasOwn(WINDOWS, unit) ? WINDOWS[unit]! : Number.NaN)
  if (seconds >= 1 && seconds <= MAX_DURATION_DAYS * 86_400) return seconds
  throw new InvalidArgumentError(
    `It must be a number and one of ${Object.keys(WINDOWS).join(', ')}, up to ${MAX_DURATION_DAYS}d, e.g. 24h.`,
  )
}

/** Parses the end of a validity: an instant, or a day, of which it is the end in UTC. @throws InvalidArgumentError */
export function expiryValue(text: string): string {
  if (!isDate(optionValue(text)) && !isInstant(text)) {
    throw new InvalidArgumentError('It must be a date (YYYY-MM-DD) or an instant with its UTC offset.')
  }
  const end = isDate(text) ? Date.parse(text) + 86_400_000 : Date.parse(text)
  if (end > Date.now()) return new Date(end).toISOString()
  throw new InvalidArgumentError('It is in the past.')
}

const MAX_LENGTH = 500

export const addRestatementOptions = (command: Command): Command =>
  command
    .addOption(new Option('--reason <text>', 'why the data changes, for the ledger').argParser(parseReason))
    .option('--public', 'partners read the reason, too')
    .option('--restate', 'change totals of closed months; needs --reason')

/** @throws UsageError where an option lacks its reason */
export function checkRestatementOptions({ reason, public: isPublic, restate }: RestatementOptions): void {
  if (reason !== undefined) return
  if (restate) throw new UsageError('USAGE', "--restate needs --reason 'TEXT', which the ledger shows")
  if (isPublic) throw new UsageError('USAGE', "--public needs --reason 'TEXT', which partners will read")
}

export function parseReason(text: string): string {
  const reason = text.trim()
  if (reason === '' || reason.length > MAX_LENGTH) {
    throw new InvalidArgumentError(`It must have 1 to ${MAX_LENGTH} characters.`)
  }
  return reason
}
