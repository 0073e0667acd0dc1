/**
 * Imports a CSV file: adds its rows to the sink of its kind, validates them together, and stores them in one transaction.
 * One rejected row means that nothing is stored, unless `skipFaulty` is set.
 */
import type { Readable } from 'node:stream'
import type { ClientBase, Pool } from 'pg'
import { type Figures, NO_FIGURES, refusedFigures } from '../db/figures'
import { FileError, type OnRowError } from '../db/file-errors'
import type { OnWait } from '../db/locks'
import { recordOperation } from '../db/operations/record'
import {
  type ChangeReason,
  checkClosedMonths,
  type RestatementOptions,
  stateReason,
} from '../db/operations/restatement'
import { inTransaction, toFileError } from '../db/transaction'
import { addRows, type RowOptions } from './add-rows'
import type { Kind } from './kind-names'
import { RowCounter } from './row-counter'

/** The reasons of kinds that move counts: their time zones or installations are corrected. */
const REASONS: Partial<Record<Kind, ChangeReason>> = { assets: 'time_zone', sensors: 'move' }

export interface ImportOptions extends RowOptions, RestatementOptions {
  /** Receives each rejected row, not always in the order of the file. */
  onRowError?: OnRowError
  onWait?: OnWait
  /** The file and the given options, which are recorded with the kind and the figures of the import. */
  details?: object
}

/**
 * Imports one file in one transaction.
 *
 * @param pool connections of the owner that are not pipelined
 * @param stream the file's bytes: CSV, decompressed
 * @returns figures; when rows were rejected and `skipFaulty` is not set, nothing was stored
 * @throws FileError, with figures, when the file as a whole is refused; nothing was stored then
 */
export function importFile(pool: Pool, kind: Kind, stream: Readable, options: ImportOptions = {}): Promise<Figures> {
  return readWith(stream, options, counter =>
    inTransaction(pool, client => importRows(client, kind, stream, options, counter), options.onWait),
  )
}

/** Imports one file within a transaction, which the caller rolls back; refuses what its commit would refuse. */
export const importInto = (
  client: ClientBase,
  kind: Kind,
  stream: Readable,
  options: ImportOptions,
): Promise<Imported> =>
  readWith(stream, options, async counter => {
    const imported = await importRows(client, kind, stream, options, counter)
    await checkClosedMonths(client)
    return imported
  })

interface Imported {
  commit: boolean
  result: Figures
}

async function importRows(
  client: ClientBase,
  kind: Kind,
  stream: Readable,
  options: ImportOptions,
  counter: RowCounter,
): Promise<Imported> {
  await stateReason(client, REASONS[kind] ?? 'import', options)
  const sink = await addRows(client, kind, stream, options, counter)
  await sink.validate()
  const { read, rejected } = counter
  if (rejected > 0 && !options.skipFaulty) return { commit: false, result: refusedFigures(counter) }
  const result = { ...NO_FIGURES, read, ...(await sink.store()), rejected }
  const { details } = options
  if (details) await recordOperation(client, { command: `import ${kind}`, details, figures: result })
  return { commit: true, result }
}

/** Ends the stream in any case, and gives an error the figures. */
async function readWith<Result>(
  stream: Readable,
  { onRowError }: ImportOptions,
  work: (counter: RowCounter) => Promise<Result>,
): Promise<Result> {
  const counter = new RowCounter(onRowError)
  try {
    return await work(counter)
  } catch (error) {
    const translated = toFileError(error)
    if (translated instanceof FileError) translated.figures = refusedFigures(counter)
    throw translated
  } finally {
    stream.destroy()
  }
}
