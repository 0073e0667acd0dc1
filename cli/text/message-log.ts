/**
 * The lines that a command prints while it holds the lock of all imports. It never waits for their reader: lines that
 * are not read at once wait in a temporary file until the command has done its work.
 */
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { printable } from './printable'

/** Characters that are written at once. */
const CHUNK_SIZE = 65_536

export class MessageLog {
  /** Undefined as long as all messages were read at once. */
  private file: number | undefined
  private buffer: string[] = []
  private bufferedLength = 0
  private isReaderGone = false

  private readonly onError = () => {
    this.isReaderGone = true
  }

  constructor(private readonly stream: Writable) {
    stream.on('error', this.onError)
  }

  print(line: string): void {
    if (this.isReaderGone) return
    const text = printable(`${line}\n`)
    if (this.file === undefined && !this.stream.writableNeedDrain) {
      this.stream.write(text)
      return
    }
    this.buffer.push(text)
    this.bufferedLength += text.length
    if (this.bufferedLength > CHUNK_SIZE) this.flush()
  }

  /** Prints the messages that are waiting, as fast as they are read. None may follow. */
  async deliver(): Promise<void> {
    this.flush()
    if (this.file !== undefined) await this.deliverFile(this.file)
    this.stream.off('error', this.onError)
  }

  private async deliverFile(file: number): Promise<void> {
    const chunk = Buffer.alloc(CHUNK_SIZE)
    for (let length = 1, position = 0; length > 0; position += length) {
      if (this.stream.writableNeedDrain && !this.isReaderGone) await once(this.stream, 'drain').catch(() => {})
      if (this.isReaderGone) break
      length = readSync(file, chunk, 0, CHUNK_SIZE, position)
      this.stream.write(Buffer.from(chunk.subarray(0, length)))
    }
    closeSync(file)
  }

  private flush(): void {
    if (this.bufferedLength === 0) return
    this.file ??= openTemporary()
    writeSync(this.file, this.buffer.join(''))
    this.buffer = []
    this.bufferedLength = 0
  }
}

/** Returns a file that has no name any more, so that nothing remains of it however the process ends. */
function openTemporary(): number {
  const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-output-'))
  const file = openSync(join(directory, 'messages'), 'wx+', 0o600)
  rmSync(directory, { recursive: true })
  return file
}
