/** Joins the pieces of a response body. A long one is written in turns, between which other requests are served. */
import { Turns } from '../../resolvers/turns'

/** Text is converted to bytes in parts of about this many characters. */
const MAX_TEXT = 100_000

/** @returns a string where all pieces are short text */
export async function joinPieces(pieces: Iterable<string | Uint8Array>, turns = new Turns()): Promise<string | Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  let text = ''
  const add = (chunk: Uint8Array) => {
    chunks.push(chunk)
    length += chunk.length
  }
  const flush = () => {
    if (text !== '') add(Buffer.from(text))
    text = ''
  }
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece
    else {
      flush()
      add(piece)
    }
    if (text.length > MAX_TEXT) flush()
    if (turns.isOver) await turns.next()
  }
  if (chunks.length === 0) return text
  const [only] = chunks
  if (chunks.length === 1 && text === '' && Buffer.isBuffer(only)) return only
  flush()
  const body = Buffer.allocUnsafe(length)
  let offset = 0
  for (const chunk of chunks) {
    body.set(chunk, offset)
    offset += chunk.length
    if (turns.isOver) await turns.next()
  }
  return body
}
