/** Imports files one after another, and prints each error on stderr when it occurs. */
import type { Figures } from '../../db/figures'
import { FileError, type RowError } from '../../db/file-errors'
import { recordedOptions } from '../../db/operations/record'
import type { RestatementOptions } from '../../db/operations/restatement'
import type { Pool } from '../../db/postgres/pool'
import { CommitError } from '../../db/transaction'
import type { RowOptions } from '../../imports/add-rows'
import type { ImplausibleDays, IncompleteInterval, IncompleteIntervals } from '../../imports/counts/count-options'
import { describeImplausible } from '../../imports/counts/guard'
import { describeIncomplete } from '../../imports/counts/parts'
import { dryRun, type ImportFile, importFile, type MonthChange } from '../../imports/import-file'
import type { Kind } from '../../imports/kind-names'
import type { Streams } from '../invocation'
import { MessageLog } from '../text/message-log'
import { Progress } from './progress'
import { RejectsFile } from './rejects-file'
import { RowErrors } from './row-errors'
import { openSource, type Source } from './source'

export interface ImportFilesOptions extends RowOptions, RestatementOptions {
  skipFaulty?: boolean
  /** Path of the file for rejected rows. */
  rejects?: string
  /** Store nothing. */
  dryRun?: boolean
}

export interface FileResult extends Figures {
  file: string
  /** Whether nothing of the file was stored. */
  refused: boolean
  /** The errors, by line, up to MAX_FAULTS; the line is null for an error of the file as a whole. */
  faults: { line: number | null; reason: string }[]
  /** Intervals that get no count because a part is missing, empty or faulty: the first ones, and their number. */
  incomplete?: IncompleteInterval[]
  incomplete_total?: number
}

const MAX_FAULTS = 1000

interface ImportResult {
  results: FileResult[]
  /** The implausible days of all files. */
  implausible: ImplausibleDays
  /** The monthly totals that would change, of a dry run. */
  changes?: MonthChange[]
}

export async function importFiles(
  streams: Streams,
  pool: Pool,
  kind: Kind,
  files: readonly string[],
  options: ImportFilesOptions,
): Promise<ImportResult> {
  const rejects =
    options.rejects === undefined ? undefined : RejectsFile.create(options.rejects, options.encoding, files.length > 1)
  const messages = new MessageLog(streams.stderr)
  const results: FileResult[] = []
  const implausible: ImplausibleDays = { days: [], total: 0 }
  const importAll = async (run: ImportFile) => {
    const runFile: ImportFile = (_, stream, given) => {
      const onImplausible = ({ days, total }: ImplausibleDays) => {
        implausible.total += total
        implausible.days.push(...days.slice(0, MAX_FAULTS - implausible.days.length))
        for (const line of describeImplausible({ days, total })) given.onNotice?.(`warning: ${line}`)
      }
      return run(kind, stream, { ...given, onImplausible })
    }
    for (const file of files) results.push(await importOne(streams, runFile, kind, file, options, messages, rejects))
  }
  try {
    if (options.dryRun)
      return { results, implausible, changes: await dryRun(pool, importAll, line => messages.print(line)) }
    await importAll((_, stream, given) => importFile(pool, kind, stream, given))
    return { results, implausible }
  } finally {
    rejects?.close()
    await messages.deliver()
  }
}

async function importOne(
  { stdin, stderr }: Streams,
  run: ImportFile,
  kind: Kind,
  file: string,
  options: ImportFilesOptions,
  messages: MessageLog,
  rejects: RejectsFile | undefined,
): Promise<FileResult> {
  const faults: FileResult['faults'] = []
  const found: Pick<FileResult, 'incomplete' | 'incomplete_total'> = {}
  const errors = new RowErrors()
  const progress = new Progress(file, messages, stderr)
  const onRowError = (error: RowError) => {
    const { line, reason } = error
    errors.add(error)
    if (faults.length < MAX_FAULTS) faults.push({ line, reason })
    rejects?.add(error)
  }
  const report = () => {
    progress.stop()
    for (const error of errors.describe()) messages.print(`${file}:${error}`)
  }
  let source: Source | undefined
  try {
    source = await openSource(file, stdin, rejects !== undefined)
    progress.start(source.size)
    const stream = source.read(bytes => progress.add(bytes))
    const details = options.dryRun ? {} : { details: { file, ...recordedOptions(options) } }
    const onNotice = (notice: string) => progress.log(`${file}: ${notice}`)
    const onIncomplete = (all: IncompleteIntervals) => {
      const incomplete = all.intervals.map(({ of: _, ...interval }) => interval)
      Object.assign(found, { incomplete, incomplete_total: all.total })
      for (const line of describeIncomplete(all)) onNotice(line)
    }
    const figures = await run(kind, stream, {
      ...options,
      onIncomplete,
      onRowError,
      onNotice,
      onWait: onNotice,
      ...details,
    })
    report()
    return {
      file,
      ...figures,
      refused: figures.rejected > 0 && !options.skipFaulty,
      faults: faults.sort(byLine),
      ...found,
    }
  } catch (error) {
    report()
    if (error instanceof CommitError) error.message = `${file}: ${error.message}`
    if (!(error instanceof FileError)) throw error
    const { figures, line = null, message } = error
    messages.print(`${file}:${line === null ? '' : `${line}:`} ${message}`)
    const rowFaults = faults.sort(byLine).slice(0, MAX_FAULTS - 1)
    return { file, ...figures, refused: true, faults: [...rowFaults, { line, reason: message }], ...found }
  } finally {
    if (source) await rejects?.finish(source, file)
    await source?.close()
  }
}

const byLine = (a: { line: number | null }, b: { line: number | null }): number => (a.line ?? 0) - (b.line ?? 0)
