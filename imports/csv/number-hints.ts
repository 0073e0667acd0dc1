/** Finds the options that read all numbers of a file: separators of thousands and decimals, and texts for a missing number. */
import { DECIMALS, RowValues, THOUSANDS, VALUE_TYPES, type ValueOptions } from './values'

const MISSING = /^(na|n\/a|#n\/a|nan|null|none|nil|missing|-+|\?|\.)$/i

/** Texts for a missing number in one file. */
const MAX_MISSING = 5

const WHOLE = /^[+-]?\d+$/
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/

interface NumberCandidate {
  option: 'thousands' | 'decimal'
  character: string
  values: RowValues
}

export class NumberHints {
  private hasUnread = false
  private candidates: readonly NumberCandidate[] | undefined
  private readonly missing = new Set<string>()
  /** The points and commas of the numbers. */
  private readonly separators = new Set<string>()

  constructor(
    private readonly columns: readonly string[],
    private readonly options: ValueOptions,
    private readonly values: RowValues,
  ) {}

  /** Adds a number that was not read, or one that is not of digits only: others mean the same with each option. */
  add(column: number, raw: string): void {
    const text = raw.trim()
    if (text === '' || WHOLE.test(text)) return
    const read = this.number(this.values, column, text)
    if (read === undefined && MISSING.test(text)) this.missing.add(text)
    else {
      this.hasUnread ||= read === undefined
      for (const [separator] of text.matchAll(/[.,]/g)) this.separators.add(separator)
      this.candidates = (this.candidates ?? this.createCandidates()).filter(({ values }) => {
        const number = this.number(values, column, text)
        return number !== undefined && number === (read ?? number)
      })
    }
  }

  /** Returns the options that read every number; none without a number that was not read. */
  proposals(): string[] {
    const isUsed = ({ character }: NumberCandidate) => !/[.,]/.test(character) || this.separators.has(character)
    const candidates = this.hasUnread ? (this.candidates ?? []).filter(isUsed) : []
    if (this.missing.size > MAX_MISSING || (this.hasUnread && candidates.length === 0)) return []
    const missing = [...this.missing]
    const named = missing.map(text => (/^[\w/-]+$/.test(text) ? text : `'${text}'`))
    const also =
      missing.length > 0 ? [`if ${missing.join(', ')} stands for no value, give --missing ${named.join(',')}`] : []
    return [...also, ...candidates.map(describe)]
  }

  private createCandidates(): NumberCandidate[] {
    const { columns, options } = this
    const create = (option: NumberCandidate['option'], character: string): NumberCandidate[] =>
      options[option] === undefined && !Object.values(options).includes(character)
        ? [{ option, character, values: new RowValues(columns, { ...options, [option]: character }) }]
        : []
    return [
      ...THOUSANDS.flatMap(character => create('thousands', character)),
      ...DECIMALS.flatMap(character => create('decimal', character)),
    ]
  }

  /** Returns a number as these options read it; undefined if they do not. */
  private number(values: RowValues, column: number, text: string): string | undefined {
    const value = values.readValue(column, text)
    const pattern = VALUE_TYPES[this.columns[column]!] === 'whole' ? WHOLE : DECIMAL
    return value !== undefined && (value === '' || pattern.test(value)) ? value : undefined
  }
}

const describe = ({ option, character }: NumberCandidate): string =>
  option === 'thousands'
    ? `if the numbers have groups of three digits, give --thousands "${character}"`
    : `if they have decimals, give --decimal ${character}`
