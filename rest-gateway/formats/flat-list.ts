/** The list of a route as rows without nested values. */
import type { ScopedReader } from '../../db/postgres/scoped-reader'
import { readSystems } from '../../db/queries/assets'
import { columnsOfRows, RawJson } from '../../resolvers/json/raw-json'
import { schema } from '../../resolvers/schema'
import type { RowBatch } from '../envelopes/envelopes'
import type { JsonSchema } from '../envelopes/schemas'
import { isLegacy } from '../middleware/deprecation'
import { type Components, dataSchema } from '../openapi/json-schema'
import type { PersistedQuery, Route, RouteRecord } from '../routes/record'
import { type Column, deriveColumns, nameColumns } from './columns'
import type { Format } from './formats'
import type { RowWriter, Values } from './row-writer'

/** Returns the formats of a route and, if it returns a list, the columns of its rows. */
export function determineFormats(route: RouteRecord & PersistedQuery): Pick<Route, 'formats' | 'columns'> {
  const { path, document, envelope, localTimes = [] } = route
  if (isLegacy(path)) return { formats: ['json'], columns: [] }
  const components: Components = {}
  const data = dataSchema(schema, document, components)
  const row = envelope.list ? envelope.list.row(data) : (envelope.schema(data).properties?.data?.items as JsonSchema)
  if (!row) return { formats: ['json'], columns: [] }
  return {
    formats: [
      ...(['json', 'csv', 'excel', 'ndjson'] as const),
      // Lists of one asset are short.
      ...(path.includes('{id}') ? [] : (['parquet'] as const)),
    ],
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
  const table = new Table(columns, writerOf)
  for (const values of readValues(columns, batch)) yield* table.write(values)
  yield* table.end()
}

/** Writes rows with the columns that the first ones have; without rows, those that all responses have. */
export class Table {
  private present: boolean[] | undefined
  private writer: RowWriter | undefined

  constructor(
    private readonly columns: readonly Column[],
    private readonly writerOf: (columns: Column[]) => RowWriter,
  ) {}

  *write(values: Values): Generator<string | Uint8Array> {
    if (!this.writer) yield this.begin(values)
    yield* this.writer!.write(values.filter((_, i) => this.present![i]))
  }

  *end(): Generator<string | Uint8Array> {
    if (!this.writer) yield this.begin([])
    yield this.writer!.end()
  }

  private begin(values: Values): string | Uint8Array {
    this.present = this.columns.map(({ optional }, i) => !optional || values[i]?.[0] !== undefined)
    this.writer = this.writerOf(this.columns.filter((_, i) => this.present![i]))
    return this.writer.begin()
  }
}
