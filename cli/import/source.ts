/** The bytes of an import: a file or a pipe, decompressed if its name ends in .gz, or standard input. */
import { createReadStream, createWriteStream, open } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGunzip } from 'node:zlib'
import { FileError } from '../../db/file-errors'

export interface Source {
  /** Bytes before they are decompressed, if known. */
  size: number | undefined
  /** Returns its bytes, decompressed. @param onBytes receives the number of bytes of each chunk before that */
  read(onBytes?: (bytes: number) => void): Readable
  close(): Promise<void>
}

/**
 * Opens a file, or standard input for `-`.
 *
 * @param repeatable whether it is read more than once; a pipe is then copied to a temporary file
 * @throws FileError when it cannot be opened
 */
export async function openSource(file: string, stdin: Readable, repeatable: boolean): Promise<Source> {
  if (file !== '-') return openFile(file, file.endsWith('.gz'), repeatable)
  if (repeatable) return copyInput(stdin, false)
  return { size: undefined, read: onBytes => readContent(stdin, false, onBytes), close: async () => {} }
}

async function openFile(path: string, gzip: boolean, repeatable: boolean): Promise<Source> {
  const found = await stat(path).catch(error => {
    throw readError(error)
  })
  if (found.isDirectory()) throw new FileError('is a directory')
  if (found.isFIFO() && repeatable) return copyInput(namedPipe(path), gzip)
  return {
    size: found.isFile() ? found.size : undefined,
    read: onBytes => readContent(found.isFIFO() ? namedPipe(path) : createReadStream(path), gzip, onBytes),
    close: async () => {},
  }
}

/** Returns a named pipe, as `<(…)` makes one. A pending read of a file stream would keep the process from ending. */
const namedPipe = (path: string): Readable =>
  Readable.from(
    (async function* () {
      yield* new Socket({ fd: await promisify(open)(path, 'r'), readable: true, writable: false })
    })(),
    { objectMode: false },
  )

async function copyInput(input: Readable, gzip: boolean): Promise<Source> {
  const directory = await mkdtemp(join(tmpdir(), 'partner-metrics-import-'))
  const close = () => rm(directory, { recursive: true, force: true })
  try {
    const path = join(directory, 'input')
    await pipeline(input, createWriteStream(path, { mode: 0o600 }))
    return { ...(await openFile(path, gzip, false)), close }
  } catch (error) {
    await close()
    throw readError(error)
  }
}

const readContent = (raw: Readable, gzip: boolean, onBytes?: (bytes: number) => void): Readable =>
  Readable.from(decompress(raw, gzip, onBytes), { objectMode: false })

async function* decompress(raw: Readable, gzip: boolean, onBytes: (bytes: number) => void = () => {}) {
  try {
    const content = Readable.from(count(raw, onBytes), { objectMode: false })
    if (gzip) {
      const gunzip = createGunzip()
      content.on('error', error => gunzip.destroy(error))
      yield* content.pipe(gunzip)
    } else yield* content
  } catch (error) {
    throw readError(error)
  } finally {
    raw.destroy()
  }
}

async function* count(raw: Readable, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of raw) {
    onBytes((chunk as Buffer).length)
    yield chunk as Buffer
  }
}

function readError(error: unknown): FileError {
  if (error instanceof FileError) return error
  const code = String((error as { code?: unknown }).code ?? '')
  const unknown = code.startsWith('Z_') ? 'is not gzip, or damaged' : `cannot be read (${code})`
  return new FileError(REASONS[code] ?? unknown)
}

const REASONS: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'cannot be read: permission denied',
  EPERM: 'cannot be read: permission denied',
  EISDIR: 'is a directory',
  Z_BUF_ERROR: 'its gzip data ends too early',
}
