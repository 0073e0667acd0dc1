/** The list of a route as rows without nested values. */
import type { ScopedReader } from '../../db/postgres/scoped-reader'
import { readSystems } from '../../db/queries/assets'
import { columnsOfRows, RawJson } from '../../resolvers/json/raw-json'
import { schema } from '../../resolvers/schema'
import { isLegacy } from '../middleware/deprecation'
import { type Components, dataSchema } from '../openapi/json-schema'
import type { FlatList, JsonSchema, RowBatch } from '../routes/envelopes'
import type { PersistedQuery, RouteRecord } from '../routes/record'
import { type Column, deriveColumns, nameColumns } from './columns'
import type { Format } from './formats'
import type { RowWriter, Values } from './row-writer'

/** Returns the formats of a route and, if it returns a list, the columns of its rows. */
export function determineFormats(route: RouteRecord & PersistedQuery): { formats: Format[]; columns: Column[] } {
  const { path, document, envelope, localTimes = [] } = route
  if (isLegacy(path)) return { formats: ['json'], columns: [] }
  const components: Components = {}
  const data = dataSchema(schema, document, components)
  const row = envelope.list ? envelope.list.row(data) : (envelope.schema(data).properties?.data?.items as JsonSchema)
  if (!row) return { formats: ['json'], columns: [] }
  return {
    // Lists of one asset are short.
    formats: ['json', 'csv', 'excel', 'ndjson', ...(path.includes('{id}') ? [] : (['parquet'] as const))],
    columns: deriveColumns(row, components).map(column => ({
      ...column,
      local: localTimes.includes(column.name),
    })),
  }
}

/** Reads the names that the columns of a response have in place of an object; undefined where they depend on no data. */
export function readColumns(
  reader: ScopedReader,
  columns: readonly Column[],
  format: Format,
): Promise<Column[]> | undefined {
  if (format === 'json' || !columns.some(({ isObject }) => isObject)) return undefined
  const reading = readSystems(reader).then(names => nameColumns(columns, names))
  // They are awaited once the key is known to be valid.
  reading.catch(() => {})
  return reading
}

/** Returns the rows of a body that is not continued. */
export const rowsOfBody = (body: unknown): RowBatch => ({ rows: (body as { data: RowBatch['rows'] }).data })

/** Returns the values of a batch, by column; of a long one in several parts. */
export function* readValues(columns: readonly Column[], { constants = {}, rows }: RowBatch): Generator<Values> {
  const paths = columns.flatMap(({ name, path }) => (name in constants ? [] : [path]))
  for (const values of rows instanceof RawJson ? rows.columns(paths) : [columnsOfRows(rows, paths)]) {
    const length = values[0]?.length ?? 0
    let next = 0
    yield columns.map(({ name }) => (name in constants ? new Array(length).fill(constants[name]) : values[next++]!))
  }
}

/** Returns all rows of a list, in parts. Columns that the response does not have are left out. */
export function* writeAll(
  columns: readonly Column[],
  batch: RowBatch,
  writerOf: (columns: Column[]) => RowWriter,
): Generator<string | Uint8Array> {
  let present: boolean[] | undefined
  let writer: RowWriter | undefined
  for (const values of readValues(columns, batch)) {
    present ??= columns.map(({ optional }, i) => !optional || values[i]?.[0] !== undefined)
    const isPresent = (_: unknown, i: number) => present?.[i]
    if (!writer) {
      writer = writerOf(columns.filter(isPresent))
      yield writer.begin()
    }
    yield* writer.write(values.filter(isPresent))
  }
  if (writer) yield writer.end()
}

/** Returns the batches of a list, for envelopes that have one. */
export const getList = (route: RouteRecord): FlatList => route.envelope.list!
