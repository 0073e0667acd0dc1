/** A writer of Parquet that keeps one group of rows in memory, and the description of those before. */
import type { SchemaElement } from 'hyparquet'
import { dayNumber } from '../../db/calendar/local-days'
import type { Column, RowWriter } from '../record'
import { readValue, UTC_OFFSET } from './columns'
import { joinElements } from './text'

/** Rows of a group. Encoding one takes about as long as a turn; files of smaller groups are larger. */
const MAX_GROUP_ROWS = 5_000

/** Values of a group: there are columns for the ids in each other system. */
const MAX_GROUP_VALUES = 250_000

const TYPES = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
  offset: { type: 'INT64' },
} as const

/** A column of a file, with the index of the column from which it is made. */
interface FileColumn {
  name: string
  type: keyof typeof TYPES
  nullable: boolean
  source: number
}

/** Returns the columns of a file. An instant lacks the offset of a local time, which gets a column of its own. */
const fileColumns = (columns: readonly Column[]): FileColumn[] =>
  columns.flatMap(({ name, type, nullable, local }, source): FileColumn[] => [
    { name, type, nullable, source },
    ...(local ? [{ name: UTC_OFFSET, type: 'offset', nullable, source } as const] : []),
  ])

/** Whole numbers are INT64, other numbers DOUBLE, dates DATE, times instants; everything else is text as in JSON. */
export function parquetWriter(columns: readonly Column[]): RowWriter {
  // Loading it takes a twentieth of the start of a service; many never write Parquet.
  const { ByteWriter, ParquetWriter } = require('hyparquet-writer') as typeof import('hyparquet-writer')
  const bytes = new ByteWriter()
  const written = fileColumns(columns)
  const schema: SchemaElement[] = [
    { name: 'root', num_children: written.length },
    ...written.map(({ name, type, nullable }) => ({
      name,
      ...TYPES[type],
      repetition_type: nullable ? ('OPTIONAL' as const) : ('REQUIRED' as const),
    })),
  ]
  const parquet = new ParquetWriter({ writer: bytes, schema, createdBy: 'partner-metrics' })
  const groupRows = Math.ceil(Math.min(MAX_GROUP_ROWS, MAX_GROUP_VALUES / written.length))
  let group: object[] = []

  function writeGroup(): void {
    const columnData = written.map(({ name, type, source }) => ({
      name,
      data: group.map(row => CONVERSIONS[type](readValue(row, columns[source]!.path))),
    }))
    parquet.write({ columnData, rowGroupSize: group.length })
    group = []
  }

  /** Returns the bytes since the last call. Offsets in the file go on. */
  function take(): Uint8Array {
    const taken = Buffer.from(bytes.getBytes())
    bytes.index = 0
    return taken
  }

  return {
    begin: take,
    *write(rows) {
      for (const row of rows) {
        if (group.push(row) < groupRows) continue
        writeGroup()
        yield take()
      }
    },
    end() {
      if (group.length > 0) writeGroup()
      parquet.finish()
      return take()
    },
  }
}

const CONVERSIONS = {
  text: (value: unknown) => (value == null ? null : joinElements(value)),
  integer: (value: unknown) => (value == null ? null : BigInt(value as number)),
  number: (value: unknown) => value ?? null,
  boolean: (value: unknown) => value ?? null,
  date: (value: unknown) => (value == null ? null : dayNumber(value as string)),
  time: (value: unknown) => (value == null ? null : BigInt(Date.parse(value as string))),
  offset: (value: unknown) => (value == null ? null : BigInt(offsetMinutes(value as string))),
}

/** Returns the minutes of the offset at the end of a local time, such as `+05:45`. */
function offsetMinutes(time: string): number {
  const minutes = Number(time.slice(-5, -3)) * 60 + Number(time.slice(-2))
  return time.at(-6) === '-' ? -minutes : minutes
}
