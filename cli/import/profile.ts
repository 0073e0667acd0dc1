/** A profile: options of `import` for the files of one source, in a JSON file with the names that they have in the command. */
import { closeSync, existsSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { type Command, InvalidArgumentError, type Option } from 'commander'
import { suggestion } from '../../db/nearest-name'
import { OperatorError } from '../../db/operator-error'

/** More would take minutes to read, and name more columns than files have. */
const MAX_BYTES = 256 * 1024

type Value = string | string[] | true

export class Profile {
  /** The options of the command line as they are written. */
  private readonly given = new Map<string, string[]>()
  private content: Record<string, Value> = {}

  /** @param options those that a profile keeps */
  constructor(
    private readonly command: Command,
    private readonly options: readonly Option[],
  ) {
    for (const option of options) {
      const name = nameOf(option)
      command.on(`option:${option.name()}`, (value: string | null | undefined) => {
        this.given.set(name, [...(this.given.get(name) ?? []), ...(typeof value === 'string' ? [value] : [])])
      })
    }
  }

  /**
   * Sets the options of the file that the command line does not give.
   *
   * @throws OperatorError when the file cannot be read or has an invalid option
   */
  read(path: string): void {
    if (!existsSync(path)) return
    this.content = parse(path)
    for (const [name, value] of Object.entries(this.content)) {
      const option = this.options.find(candidate => nameOf(candidate) === name)
      if (!option) {
        const known = this.options.map(nameOf)
        throw invalid(path, `has the option ${name}${suggestion(name, known)}; a profile has ${known.join(', ')}`)
      }
      if (!this.given.has(name)) this.set(path, option, value)
    }
  }

  /** Saves the options of the file together with those of the command line; returns whether the file changed. */
  save(path: string): boolean {
    const isRepeatable = (name: string) => {
      const option = this.options.find(candidate => nameOf(candidate) === name)
      return option?.description.includes('(repeatable)')
    }
    const given = [...this.given].map(([name, values]): [string, Value] => [
      name,
      values.length === 0 ? true : isRepeatable(name) ? values : (values.at(-1) as string),
    ])
    const merged = { ...this.content, ...Object.fromEntries(given) }
    const text = `${JSON.stringify(merged, null, 2)}\n`
    if (existsSync(path) && JSON.stringify(merged) === JSON.stringify(this.content)) return false
    try {
      writeFileSync(`${path}.new`, text)
      renameSync(`${path}.new`, path)
    } catch (error) {
      throw new OperatorError('PROFILE_NOT_SAVED', `--profile ${path} cannot be written (${codeOf(error)})`)
    }
    return true
  }

  private set(path: string, option: Option, value: Value): void {
    const name = nameOf(option)
    const takesValue = option.required
    const isList = Array.isArray(value) && value.every(item => typeof item === 'string')
    if (takesValue ? typeof value !== 'string' && !isList : value !== true) {
      throw invalid(path, `has no valid ${name}: it must be ${takesValue ? 'a text, or a list of texts' : 'true'}`)
    }
    let parsed: unknown
    try {
      if (!takesValue) parsed = !option.negate
      else for (const text of [value].flat() as string[]) parsed = option.parseArg?.(text, parsed) ?? text
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error
      throw invalid(path, `has no valid ${name}: ${error.message}`)
    }
    this.command.setOptionValueWithSource(option.attributeName(), parsed, 'profile')
  }
}

const nameOf = (option: Option): string => (option.long ?? '').slice(2)

const codeOf = (error: unknown): string => String((error as { code?: string }).code)

const invalid = (path: string, reason: string): OperatorError =>
  new OperatorError('PROFILE_INVALID', `--profile ${path} ${reason}`)

function parse(path: string): Record<string, Value> {
  let content: unknown
  try {
    content = JSON.parse(readText(path))
  } catch (error) {
    if (error instanceof OperatorError) throw error
    if (!(error instanceof SyntaxError)) throw invalid(path, `cannot be read (${codeOf(error)})`)
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw invalid(path, 'is not a JSON object such as {"delimiter": ";", "time-format": ["dd.MM.yyyy HH:mm"]}')
  }
  return content as Record<string, Value>
}

/** Reads no more than a profile may have, whatever the file is. */
function readText(path: string): string {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(MAX_BYTES + 1)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null)
    }
    if (length > MAX_BYTES) throw invalid(path, `is larger than ${MAX_BYTES / 1024} KiB`)
    return bytes.toString('utf8', 0, length)
  } finally {
    closeSync(file)
  }
}
