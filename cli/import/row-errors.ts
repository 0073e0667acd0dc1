/** The errors of the rows of a file, of which messages have one line for each kind. */
import type { RowError } from '../../db/file-errors'

/** Lines and values of further errors of a kind that a message names. */
const MAX_NAMED = 10

const QUOTED = /"(?:[^"\\]|\\.)*"/g

/** The errors whose reasons differ only in values. */
interface Kind {
  count: number
  reason: string
  lines: Set<number>
  values: Set<string>
}

export class RowErrors {
  private readonly kinds = new Map<string, Kind>()

  add({ line, reason }: RowError): void {
    const key = reason.replace(QUOTED, '""').replace(/\d+/g, '0')
    const kind = this.kinds.get(key) ?? { count: 0, reason, lines: new Set(), values: new Set() }
    this.kinds.set(key, kind)
    kind.count++
    const [value] = reason.match(QUOTED) ?? []
    if (kind.lines.size <= MAX_NAMED) kind.lines.add(line)
    if (value !== undefined && kind.values.size <= MAX_NAMED) kind.values.add(value)
  }

  /** Returns a message for each kind, `LINE: reason`, with the number of its errors if there are several. */
  describe(): string[] {
    return [...this.kinds.values()].map(({ count, reason, lines, values }) => {
      const [line] = lines
      if (count === 1) return `${line}: ${reason}`
      const [, ...others] = values
      const also = others.length > 0 ? `; also with ${list(others)}` : ''
      return `${line}: ${reason} (${count} such errors, on the lines ${list([...lines])}${also})`
    })
  }
}

const list = (items: readonly (string | number)[]): string =>
  items.length > MAX_NAMED ? `${items.slice(0, MAX_NAMED).join(', ')}, …` : items.join(', ')
