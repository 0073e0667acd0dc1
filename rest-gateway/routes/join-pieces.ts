/** Joins the pieces of a response body. A long one is written in turns, between which other requests are served. */
import { Turns } from '../../resolvers/turns'

/** Text is converted to bytes in parts of about this many characters. */
const MAX_TEXT = 100_000

/** @returns a string where all pieces are short text */
export async function joinPieces(pieces: Iterable<string | Uint8Array>, turns = new Turns()): Promise<string | Buffer> {
  const chunks: Uint8Array[] = []
  let text = ''
  const flush = () => {
    if (text !== '') chunks.push(Buffer.from(text))
    text = ''
  }
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece
    else {
      flush()
      chunks.push(piece)
    }
    if (text.length > MAX_TEXT) flush()
    if (turns.isOver) await turns.next()
  }
  if (chunks.length === 0) return text
  flush()
  const [only] = chunks
  return chunks.length === 1 && Buffer.isBuffer(only) ? only : Buffer.concat(chunks)
}
