/** Writes a result as JSON in turns of the event loop, which JSON.stringify would block until it ends. */
import { Turns } from '../../resolvers/turns'

/** Smaller values are written at once. */
const MAX_PIECE = 200

/** The same text as JSON.stringify, with a line feed. */
export async function stringify(value: unknown, turns = new Turns()): Promise<string> {
  const texts: string[] = []
  for (const piece of pieces(value)) {
    texts.push(piece)
    if (turns.isOver) await turns.next()
  }
  texts.push('\n')
  return texts.join('')
}

/** The text of a value without `toJSON`, piece by piece. */
export function* pieces(value: unknown): Generator<string> {
  if (sizeOf(value) <= MAX_PIECE) yield JSON.stringify(value) ?? 'null'
  else if (Array.isArray(value)) {
    let separator = '['
    for (const item of value) {
      yield separator
      yield* pieces(item)
      separator = ','
    }
    yield ']'
  } else if (typeof value === 'object') {
    let separator = '{'
    for (const [key, field] of Object.entries(value as object)) {
      if (field === undefined) continue
      yield `${separator}${JSON.stringify(key)}:`
      yield* pieces(field)
      separator = ','
    }
    yield separator === '{' ? '{}' : '}'
  } else yield JSON.stringify(value)
}

/** The number of values within a value, at most one more than MAX_PIECE. */
function sizeOf(value: unknown, counted = 0): number {
  let size = counted + 1
  if (typeof value !== 'object' || value === null) return size
  for (const key in value) {
    size = sizeOf((value as Record<string, unknown>)[key], size)
    if (size > MAX_PIECE) break
  }
  return size
}
