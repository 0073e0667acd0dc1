/** A whole paginated list in a flat format, in parts of one batch. */
import type { Route } from '../routes/record'
import { listOf, valuesOf } from './flat-list'
import { FLAT_FORMATS, type FlatFormat } from './formats'

/** The data of a query. */
export type Data = Record<string, unknown>

/**
 * @param first the data of the first batch
 * @param readNext reads the batch behind an id
 * @param onRows called with the number of rows whenever some have been taken over
 */
export async function* partsOf(
  route: Route,
  format: FlatFormat,
  first: Data,
  readNext: (last: string) => Promise<Data>,
  onRows: (rows: number) => void,
): AsyncGenerator<string | Uint8Array> {
  const { rows, next } = listOf(route)
  const writer = FLAT_FORMATS[format].writer(route.columns)
  yield writer.begin()
  let data = first
  for (;;) {
    let text = ''
    for (const batch of rows(data)) {
      const values = valuesOf(route.columns, batch)
      const part = writer.write(values)
      onRows(values[0]?.length ?? 0)
      if (typeof part === 'string') text += part
      else yield part
    }
    if (text !== '') yield text
    const last = next?.(data) ?? null
    if (last === null) break
    data = await readNext(last)
  }
  yield writer.end()
}
