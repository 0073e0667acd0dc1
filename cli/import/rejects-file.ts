/** Writes rejected rows to a CSV file: the line, the reason, and the row as the imported file has it. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { FileError, type RowError } from '../../db/file-errors'
import { OperatorError } from '../../db/operator-error'
import type { Encoding } from '../../imports/csv/file-form'
import { readLines } from '../../imports/csv/read-records'
import { spreadsheetCell } from '../../schema/spreadsheet-cells'
import type { Source } from './source'

/** Limits the memory for rows that have to be found again. */
const MAX_REJECTED = 1_000_000

/** Length of the reasons of a line: each cell of a wide file has one. */
const MAX_REASON_LENGTH = 1000

/** Length up to which the next line belongs to a row whose quote is open. */
const MAX_OPEN_LENGTH = 10_000

export class RejectsFile {
  /** By line, of the file that is imported now. */
  private readonly reasons = new Map<number, string>()

  private constructor(
    private readonly file: number,
    private readonly encoding: Encoding | undefined,
    private readonly hasNames: boolean,
  ) {}

  /** @param hasNames whether reasons name the imported file @throws OperatorError if it exists or cannot be written */
  static create(path: string, encoding: Encoding | undefined, hasNames: boolean): RejectsFile {
    try {
      const file = openSync(path, 'wx')
      writeSync(file, 'line,reason,row\n')
      return new RejectsFile(file, encoding, hasNames)
    } catch (error) {
      const code = (error as { code?: string }).code
      const reason = code === 'EEXIST' ? 'exists: name another file' : `cannot be written (${code})`
      throw new OperatorError('IMPORT_REFUSED', `--rejects ${path} ${reason}`)
    }
  }

  add({ line, reason }: RowError): void {
    const earlier = this.reasons.get(line)
    if (earlier !== undefined) this.reasons.set(line, `${earlier}; ${reason}`.slice(0, MAX_REASON_LENGTH))
    else if (this.reasons.size < MAX_REJECTED) this.reasons.set(line, reason)
    else throw new FileError('has more than a million rows with errors, which is more than --rejects writes')
  }

  /** Writes the rejected rows of a file, which is read again for that. */
  async finish(source: Source, name: string): Promise<void> {
    let [line, text] = [0, '']
    const write = () => {
      const reason = this.reasons.get(line)
      if (reason === undefined) return
      const cells = [this.hasNames ? `${name}: ${reason}` : reason, text].map(spreadsheetCell)
      writeSync(this.file, `${[line, ...cells].join(',')}\n`)
      this.reasons.delete(line)
    }
    try {
      let next = 0
      for await (const found of readLines(source.read(), this.encoding)) {
        next++
        if (this.reasons.has(line) && !this.reasons.has(next) && isOpen(text)) {
          text += `\n${found}`
          continue
        }
        write()
        if (this.reasons.size === 0) return
        ;[line, text] = [next, found]
      }
      write()
    } catch (error) {
      // The import has reported that the file cannot be read to its end.
      if (!(error instanceof FileError)) throw error
    }
    text = ''
    for (line of this.reasons.keys()) write()
  }

  close(): void {
    closeSync(this.file)
  }
}

/** Returns whether a row continues on the next line, because a quote is open in it. */
const isOpen = (text: string): boolean =>
  text.length < MAX_OPEN_LENGTH && /(?:^|[,;|\t])"/.test(text) && text.split('"').length % 2 === 0
