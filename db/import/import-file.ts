/**
 * Imports: CSV, or days that were made otherwise, into the database. A file is taken in row by row, looked at as a whole,
 * then stored in one transaction: all of it, or with `skipFaulty` all that is good in it, or nothing.
 */
import type { Readable } from 'node:stream'
import type { ClientBase, Pool } from 'pg'
import { OperatorError } from '../operator-error'
import { Counts } from './counts/counts'
import { Finder } from './counts/impressions'
import { readRecords } from './csv/csv'
import { type ColumnOptions, type Header, readHeader } from './csv/header'
import { loadSensors } from './entities/installations'
import { type Fault, type Figures, FileFault, Tally } from './figures'
import { KINDS, type Kind } from './kinds'
import type { RowSink } from './row-sink'
import { inTransaction } from './transaction'

export { type ColumnOptions, faultsOfOptions } from './csv/header'
export { type Fault, type Figures, FileFault } from './figures'
export { KINDS, type Kind } from './kinds'

export interface ImportOptions extends ColumnOptions {
  /** Store the good rows although others are faulty. */
  skipFaulty?: boolean
  /** Gets every faulty row as it is found, which is not always in the order of the file. */
  onFault?: (fault: Fault) => void
  /** Gets the header's record before any row. */
  onHeader?: (record: readonly string[]) => void
  /** How many counts may be held in memory, for tests. */
  held?: number
}

/**
 * Imports one file in one transaction, on one connection of the pool (which must not be pipelined).
 *
 * @param input its name and its bytes: CSV, already decompressed
 * @returns figures; when rows were faulty and `skipFaulty` was not set, nothing is stored and the good rows are `not_stored`
 * @throws FileFault, with figures, when the file as a whole is refused; nothing is stored then
 */
export async function importFile(
  pool: Pool,
  kind: Kind,
  input: { name: string; stream: Readable },
  options: ImportOptions = {},
): Promise<Figures> {
  const tally = new Tally(options.onFault)
  try {
    return await inTransaction(pool, async client => {
      const intake = await takeRows(client, kind, input.stream, options, tally)
      return conclude(intake, tally, options.skipFaulty ?? false)
    })
  } catch (error) {
    if (error instanceof FileFault) {
      const { read, rejected } = tally
      error.figures = { read, stored: 0, unchanged: 0, rejected, not_stored: read - rejected }
    }
    throw error
  } finally {
    input.stream.destroy()
  }
}

/**
 * Stores whole days of counts, in one transaction: what came before is replaced where it differs.
 *
 * @param days `serial` of a sensor, local `date` of the asset where it stood, and one count for each native interval of that
 *   day (MISSING, -1, where nothing is said; what is stored of such an interval stays)
 * @returns figures, counting intervals
 * @throws OperatorFault when a sensor is unknown, was never installed, or a day has another number of intervals
 */
export async function importDays(
  pool: Pool,
  days: Iterable<{ serial: string; date: string; counts: ArrayLike<number> }>,
): Promise<Figures> {
  const tally = new Tally()
  return inTransaction(pool, async client => {
    const counts = new Counts(client, tally)
    const finder = new Finder(counts, await loadSensors(client))
    for (const { serial, date, counts: values } of days) {
      const fault = finder.findDay(serial, date, values, (open, interval, count) => {
        tally.read++
        counts.gathering.add(open, interval, count, tally.read)
      })
      if (fault) throw new OperatorError('IMPORT_REFUSED', fault)
      await counts.settle()
    }
    return conclude(counts, tally, false)
  })
}

async function takeRows(
  client: ClientBase,
  kind: Kind,
  stream: Readable,
  options: ImportOptions,
  tally: Tally,
): Promise<RowSink> {
  const { columns, required, open } = KINDS[kind]
  let header: Header | undefined
  let intake: RowSink | undefined
  const onFault = (line: number, reason: string, record?: string[]) => {
    tally.read++
    tally.reject(line, reason, record)
  }
  for await (const { records, lines } of readRecords(stream, onFault)) {
    for (let i = 0; i < records.length; i++) {
      const record = records[i] as string[]
      const line = lines[i] as number
      if (!header || !intake) {
        header = readHeader(record, line, columns, required, options)
        options.onHeader?.(record)
        intake = await open(client, header.columns, tally, options.held)
        continue
      }
      tally.read++
      const fault =
        record.length === header.width
          ? intake.take(header.read(record), line)
          : `has ${record.length} values where the header has ${header.width}`
      if (fault) tally.reject(line, fault, record)
    }
    await intake?.settle()
  }
  if (!intake) throw new FileFault('is empty: there is no header')
  return intake
}

async function conclude(
  intake: Pick<RowSink, 'check' | 'store'>,
  tally: Tally,
  skipFaulty: boolean,
): Promise<{ commit: boolean; result: Figures }> {
  await intake.check()
  const { read, rejected } = tally
  if (rejected > 0 && !skipFaulty) {
    return { commit: false, result: { read, stored: 0, unchanged: 0, rejected, not_stored: read - rejected } }
  }
  const { stored, unchanged } = await intake.store()
  return { commit: true, result: { read, stored, unchanged, rejected, not_stored: 0 } }
}
