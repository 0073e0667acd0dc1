/** Where the bytes of an import come from: a file or standard input, decompressed where they are gzip. */
import { createReadStream, createWriteStream, open } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGunzip } from 'node:zlib'
import { FileFault } from '../../db/import/import-file'

export interface Source {
  /** Bytes to come, before they are decompressed, if that is known. */
  size: number | undefined
  /** Its bytes, decompressed; standard input only once, unless it was kept. `onBytes` hears how many came. */
  open(onBytes?: (bytes: number) => void): Readable
  close(): Promise<void>
}

/**
 * Looks at a file, or at standard input for `-`.
 *
 * @param again whether it will be read more than once; standard input is kept in a temporary file then
 * @throws FileFault when there is nothing to read
 */
export async function sourceOf(file: string, again: boolean): Promise<Source> {
  if (file !== '-') return fileSource(file, file.endsWith('.gz'))
  if (again) return keptInput()
  return { size: undefined, open: onBytes => bytesOf(process.stdin, false, onBytes), close: async () => {} }
}

async function fileSource(path: string, gzip: boolean): Promise<Source> {
  const found = await stat(path).catch(error => {
    throw asFault(error)
  })
  if (found.isDirectory()) throw new FileFault('is a directory')
  return {
    size: found.isFile() ? found.size : undefined,
    open: onBytes => bytesOf(found.isFIFO() ? pipe(path) : createReadStream(path), gzip, onBytes),
    close: async () => {},
  }
}

/** A pipe by its name, as `<(…)` makes one. Read as a file it would keep the process from ending until somebody writes. */
const pipe = (path: string): Readable =>
  Readable.from(
    (async function* () {
      yield* new Socket({ fd: await promisify(open)(path, 'r'), readable: true, writable: false })
    })(),
    { objectMode: false },
  )

async function keptInput(): Promise<Source> {
  const directory = await mkdtemp(join(tmpdir(), 'partner-metrics-import-'))
  const close = () => rm(directory, { recursive: true, force: true })
  try {
    const path = join(directory, 'input')
    await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }))
    return { ...(await fileSource(path, false)), close }
  } catch (error) {
    await close()
    throw asFault(error)
  }
}

const bytesOf = (raw: Readable, gzip: boolean, onBytes: (bytes: number) => void = () => {}): Readable =>
  Readable.from(decompressed(raw, gzip, onBytes), { objectMode: false })

async function* decompressed(raw: Readable, gzip: boolean, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  try {
    const chunks = counted(raw, onBytes)
    let head: Buffer = Buffer.alloc(0)
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      head = Buffer.concat([head, next.value])
      if (head.length > 1) break
    }
    const all = Readable.from(startingWith(head, chunks), { objectMode: false })
    if (head[0] !== 0x1f || head[1] !== 0x8b) {
      if (gzip && head.length > 0) throw new FileFault('is not gzip, although its name ends in .gz')
      yield* all
    } else {
      const gunzip = createGunzip()
      all.on('error', error => gunzip.destroy(error))
      yield* all.pipe(gunzip)
    }
  } catch (error) {
    throw asFault(error)
  } finally {
    raw.destroy()
  }
}

async function* counted(raw: Readable, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of raw) {
    onBytes((chunk as Buffer).length)
    yield chunk as Buffer
  }
}

async function* startingWith(head: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head
  yield* rest
}

function asFault(error: unknown): FileFault {
  if (error instanceof FileFault) return error
  const code = String((error as { code?: unknown }).code ?? '')
  return new FileFault(
    REASONS[code] ?? (code.startsWith('Z_') ? 'its gzip data is damaged' : `cannot be read (${code})`),
  )
}

const REASONS: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be read',
  EPERM: 'may not be read',
  EISDIR: 'is a directory',
  Z_BUF_ERROR: 'its gzip data ends too early',
}
