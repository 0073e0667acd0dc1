/** Exports all data into a folder, as they are at one moment, beside everything else. */
import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { ClientBase, Pool } from 'pg'
import { to } from 'pg-copy-streams'
import { inSnapshot } from '../transaction'
import { type BackupFile, fileName } from './backup-file'
import type { ExportFolder } from './export-folder'
import { FILES } from './files'
import { type ExportedFile, FORMAT, MANIFEST, type Manifest } from './manifest'

interface ExportOptions {
  /** The version of this program. */
  version: string
  /** Receives the approximate number of lines of all files, if it is given. */
  onTotal?: (lines: number) => void
  /** Receives the number of further lines that were read. */
  onLines?: (lines: number) => void
}

/** Writes all files, and the manifest last. */
export function exportAll(pool: Pool, folder: ExportFolder, options: ExportOptions): Promise<Manifest> {
  const { version, onTotal, onLines } = options
  return inSnapshot(pool, async client => {
    const { rows } = await client.query<{ now: string }>('SELECT now()')
    onTotal?.(await countRows(client))
    const files: ExportedFile[] = []
    for (const file of FILES) files.push(await writeFile(client, folder, file, onLines))
    const manifest = { format: FORMAT, version, exported_at: rows[0]?.now as string, files }
    await pipeline([`${JSON.stringify(manifest, null, 2)}\n`], folder.open(MANIFEST))
    folder.complete()
    return manifest
  })
}

async function countRows(client: ClientBase): Promise<number> {
  const counts = FILES.map(({ table }) => `(SELECT count(*) FROM ${table})`)
  const { rows } = await client.query<{ total: number }>(`SELECT ${counts.join(' + ')} AS total`)
  return rows[0]?.total ?? 0
}

async function writeFile(
  client: ClientBase,
  folder: ExportFolder,
  file: BackupFile,
  onLines: ExportOptions['onLines'],
): Promise<ExportedFile> {
  const name = fileName(file)
  const hash = createHash('sha256')
  let [rows, bytes] = [0, 0]
  await pipeline(
    async function* () {
      yield `${file.columns}\n`
      rows = yield* reportLines(readLines(client, file), onLines)
    },
    createGzip(),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk)
        bytes += chunk.length
        yield chunk
      }
    },
    folder.open(name),
  )
  return { name, rows, bytes, sha256: hash.digest('hex') }
}

/** Reads all rows as lines, without the header, and returns their number. */
async function* readLines(client: ClientBase, { select, formatter }: BackupFile): AsyncGenerator<Buffer, number> {
  const format = await formatter?.(client)
  const rows = client.query(to(`COPY (${select}) TO STDOUT${format ? '' : ' (FORMAT csv)'}`))
  let rest = ''
  for await (const chunk of rows as AsyncIterable<Buffer>) {
    if (format) {
      const lines = (rest + chunk.toString('latin1')).split('\n')
      rest = lines.pop()!
      yield Buffer.from(lines.map(format).join(''), 'latin1')
    } else yield chunk
  }
  return rows.rowCount
}

async function* reportLines<Result>(
  chunks: AsyncGenerator<Buffer, Result>,
  onLines: ExportOptions['onLines'],
): AsyncGenerator<Buffer, Result> {
  for (;;) {
    const { done, value } = await chunks.next()
    if (done) return value
    if (onLines) {
      let lines = 0
      for (let at = value.indexOf('\n'); at >= 0; at = value.indexOf('\n', at + 1)) lines++
      onLines(lines)
    }
    yield value
  }
}
