/** A whole paginated list in a flat format, in parts of one batch. */
import { Turns } from '../../resolvers/turns'
import type { Data } from '../envelopes/envelopes'
import type { Route } from '../routes/record'
import { readValues, Table } from './flat-list'
import { FLAT_FORMATS, type FlatFormat } from './formats'

/** To encode a longer text would take a turn. */
const MAX_TEXT_LENGTH = 1_000_000

/**
 * @param first the data of the first batch
 * @param readNext reads the batch behind an id
 * @param onRows called with the number of rows whenever some have been taken over
 */
export async function* writeParts(
  { envelope, columns }: Route,
  format: FlatFormat,
  first: Data,
  readNext: (last: string) => Promise<Data>,
  onRows: (rows: number) => void,
  turns = new Turns(),
): AsyncGenerator<string | Uint8Array> {
  const { rows, next } = envelope.list!
  const table = new Table(columns, FLAT_FORMATS[format].writer)
  let data = first
  for (;;) {
    let text = ''
    for (const batch of rows(data)) {
      for (const values of readValues(columns, batch)) {
        for (const part of table.write(values)) {
          if (typeof part === 'string') text += part
          else yield part
          if (text.length > MAX_TEXT_LENGTH) {
            yield text
            text = ''
          }
          if (turns.isOver) await turns.next()
        }
        onRows(values[0]?.length ?? 0)
      }
    }
    if (text !== '') yield text
    const last = next?.(data) ?? null
    if (last === null) break
    data = await readNext(last)
  }
  yield* table.end()
}
