/** Takes as many rows of a body as fit into a result, and the body with these rows. */
import { createHash } from 'node:crypto'
import { RawJson } from '../../resolvers/json/raw-json'
import { Turns } from '../../resolvers/turns'
import { joinPieces } from '../routes/join-pieces'
import { RawList, serialize } from '../routes/serialize'

type Body = Record<string, unknown>

/** The rows of a list from one of them on, as JSON. */
interface TakenRows {
  rows: string[]
  /** Whether no row follows. */
  isLast: boolean
  /** The rows before that one and these, as a short digest. */
  digest: string
  /** The digest of the rows before. */
  skipped: string
}

/** A body with one list, of which a result may have a part. */
interface CuttableBody {
  list: RawJson | readonly unknown[]
  /** Returns the body as JSON, with these rows of the list and more properties. */
  write(rows: readonly string[], more?: object): string
}

/** Returns a body by its rows: those of `data`, of the only entry of `data`, or of the longest list. */
export async function cuttable(body: unknown): Promise<CuttableBody> {
  const { data, ...others } = body as Body
  if (data instanceof RawList && data.elements.length === 1) {
    const [{ data: list, ...columns }] = data.elements as [Body]
    if (list instanceof RawJson) {
      const entry = (rows: readonly string[]) => writeObject('data', rows, columns)
      return { list, write: (rows, more) => writeObject('data', [entry(rows)], { ...others, ...more }) }
    }
  }
  if (data instanceof RawJson || Array.isArray(data)) {
    return { list: data, write: (rows, more) => writeObject('data', rows, { ...others, ...more }) }
  }
  const plain: Body = JSON.parse((await joinPieces(serialize(body))).toString())
  const lists = Object.entries(plain).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]))
  const longest = lists.sort(([, a], [, b]) => b.length - a.length)[0]
  if (!longest) return { list: [], write: (_, more) => JSON.stringify({ ...plain, ...more }) }
  const [name, list] = longest
  return { list, write: (rows, more) => writeObject(name, rows, { ...plain, ...more }) }
}

/** Returns an object as JSON, with this list at the place of its name, or else in front. */
const writeObject = (name: string, rows: readonly string[], properties: Body): string => {
  const written = `${JSON.stringify(name)}:[${rows.join(',')}]`
  const others = Object.entries(properties).map(([key, value]) =>
    key === name ? written : `${JSON.stringify(key)}:${JSON.stringify(value)}`,
  )
  return `{${(name in properties ? others : [written, ...others]).join(',')}}`
}

/** Returns the rows behind the first `skip` that fit. Those behind them are never written. */
export async function takeRows(list: CuttableBody['list'], skip: number, room: number): Promise<TakenRows> {
  const hash = createHash('sha256')
  const digest = () => hash.copy().digest('base64url').slice(0, 8)
  const taken: TakenRows = { rows: [], isLast: true, digest: '', skipped: skip === 0 ? digest() : '' }
  let left = room
  let index = 0
  const turns = new Turns()
  for (const row of rowsOf(list)) {
    if (index >= skip) {
      left -= sizeInResult(row)
      taken.isLast = left >= 0
      if (!taken.isLast) break
      taken.rows.push(row)
    }
    hash.update(row)
    index++
    if (index === skip) taken.skipped = digest()
    if (turns.isOver) await turns.next()
  }
  return { ...taken, digest: digest() }
}

/** Returns the characters of a JSON text in a result, which has it as text and as a value. */
export const sizeInResult = (json: string): number => json.length + JSON.stringify(json).length

function* rowsOf(list: CuttableBody['list']): Generator<string> {
  if (list instanceof RawJson) yield* splitRows(list.pieces())
  else for (const row of list) yield JSON.stringify(row)
}

/** Splits the JSON of a list of objects, which comes in pieces, into that of the objects. */
function* splitRows(pieces: Iterable<string | Uint8Array>): Generator<string> {
  const decoder = new TextDecoder()
  let row = ''
  let depth = 0
  let isText = false
  let isEscaped = false
  for (const piece of pieces) {
    const text = typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true })
    let begin = 0
    for (let i = 0; i < text.length; i++) {
      const character = text[i]
      if (isEscaped) isEscaped = false
      else if (character === '"') isText = !isText
      else if (isText) isEscaped = character === '\\'
      else if (character === '{' || character === '[') {
        if (depth++ === 1) begin = i
      } else if ((character === '}' || character === ']') && --depth === 1) {
        yield row + text.slice(begin, i + 1)
        row = ''
      }
    }
    if (depth > 1) row += text.slice(begin)
  }
}
