/** Imports files one after another; what is faulty is told on stderr as it is found. */
import { Readable } from 'node:stream'
import type { Pool } from 'pg'
import {
  type ColumnOptions,
  type Fault,
  type Figures,
  FileFault,
  importFile,
  type Kind,
} from '../../db/import/import-file'
import { messagesDrained, printMessage } from '../output'
import { Progress } from './progress'
import { Rejects } from './rejects'
import { type Source, sourceOf } from './source'

export interface Options extends ColumnOptions {
  skipFaulty?: boolean
  /** The file that keeps faulty rows. */
  rejects?: string
}

/** What came of a file. */
export interface Imported extends Figures {
  file: string
  /** Nothing of it was stored. */
  refused: boolean
  /** The first of its faults, by line; null stands for the file as a whole. */
  faults: { line: number | null; reason: string }[]
}

/** Faults that a file's result holds at most. */
const MOST_FAULTS = 1000

export async function importAll(
  pool: Pool,
  kind: Kind,
  files: readonly string[],
  options: Options,
): Promise<Imported[]> {
  const rejects = options.rejects === undefined ? undefined : await Rejects.open(options.rejects, files)
  const imported: Imported[] = []
  try {
    for (const file of files) imported.push(await importOne(pool, kind, file, options, rejects))
  } finally {
    rejects?.close()
  }
  return imported
}

async function importOne(
  pool: Pool,
  kind: Kind,
  file: string,
  options: Options,
  rejects: Rejects | undefined,
): Promise<Imported> {
  const faults: Imported['faults'] = []
  const progress = new Progress(file)
  let source: Source | undefined
  try {
    source = await sourceOf(file, rejects !== undefined)
    progress.start(source.size)
    const stream = Readable.from(paced(source.open(bytes => progress.add(bytes))), { objectMode: false })
    const figures = await importFile(
      pool,
      kind,
      { name: file, stream },
      {
        ...options,
        onHeader: record => rejects?.begin(record),
        onFault: ({ line, reason, record }: Fault) => {
          progress.say(`${file}:${line}: ${reason}`)
          if (faults.length < MOST_FAULTS) faults.push({ line, reason })
          rejects?.add(line, reason, record)
        },
      },
    )
    progress.stop()
    return { file, ...figures, refused: figures.rejected > 0 && !options.skipFaulty, faults: faults.sort(byLine) }
  } catch (error) {
    progress.stop()
    if (!(error instanceof FileFault)) throw error
    const line = error.line ?? null
    printMessage(`${file}:${line === null ? '' : `${line}:`} ${error.message}`)
    const told = [...faults.sort(byLine).slice(0, MOST_FAULTS - 1), { line, reason: error.message }]
    return { file, ...error.figures, refused: true, faults: told }
  } finally {
    if (source) await rejects?.finish(source)
    await source?.close()
  }
}

/** No faster than its faults can be told. */
async function* paced(stream: Readable): AsyncGenerator<Buffer> {
  for await (const bytes of stream) {
    await messagesDrained()
    yield bytes
  }
}

const byLine = (a: { line: number | null }, b: { line: number | null }): number => (a.line ?? 0) - (b.line ?? 0)
