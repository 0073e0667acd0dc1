/**
 * Keeps faulty rows as CSV: their own columns as they came, then the line and the reason. Without these two, the file can
 * be imported again once it is corrected. Rows that turn out faulty only later are looked up in the input once more.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { readRecords } from '../../db/import/csv/csv'
import { FileFault } from '../../db/import/import-file'
import { OperatorError } from '../../db/operator-error'
import { UsageError } from '../output'
import type { Source } from './source'

/** Rows that may wait for being looked up; memory is bounded. */
const MOST_WAITING = 1_000_000

/** Rows that are written at once. */
const MOST_HELD = 1000

export class Rejects {
  private header: readonly string[] | undefined
  private readonly waiting = new Map<number, string>()
  private lines: string[] = []

  private constructor(private readonly file: number) {}

  /** @throws OperatorFault when the file cannot be written, UsageFault when it is one of the inputs */
  static async open(path: string, inputs: readonly string[]): Promise<Rejects> {
    const real = (name: string) => realpath(name).catch(() => resolve(name))
    for (const input of inputs) {
      if (input !== '-' && (await real(input)) === (await real(path))) {
        throw new UsageError('USAGE', '--rejects is one of the files to be imported')
      }
    }
    try {
      return new Rejects(openSync(path, 'w'))
    } catch (error) {
      throw new OperatorError('IMPORT_REFUSED', `--rejects cannot be written (${(error as { code?: string }).code})`)
    }
  }

  /** Hears the header of the next file. */
  begin(header: readonly string[]): void {
    if (!this.header) {
      const free = (name: string) => (header.some(own => own.trim() === name) ? `rejected_${name}` : name)
      this.lines.push(csvRow([...header, free('line'), free('reason')]))
      this.header = header
    } else if (this.header.join('\0') !== header.join('\0')) {
      throw new FileFault('has another header than the file before, which --rejects cannot keep: import it by itself')
    }
  }

  add(line: number, reason: string, record: readonly string[] | undefined): void {
    if (record) this.write(line, reason, record)
    else if (this.waiting.size >= MOST_WAITING) throw new FileFault('more than a million rows contradict others')
    else this.waiting.set(line, reason)
  }

  /** Looks up what is still waiting, at the end of a file. */
  async finish(source: Source): Promise<void> {
    if (this.waiting.size > 0) await this.lookUp(source).catch(() => {})
    for (const [line, reason] of this.waiting) this.write(line, reason, [])
    this.waiting.clear()
    this.flush()
  }

  close(): void {
    closeSync(this.file)
  }

  private async lookUp(source: Source): Promise<void> {
    for await (const { records, lines } of readRecords(source.open(), () => {})) {
      for (let i = 0; i < lines.length; i++) {
        const line = lines[i] as number
        const reason = this.waiting.get(line)
        if (reason === undefined) continue
        this.waiting.delete(line)
        this.write(line, reason, records[i] as string[])
      }
      if (this.waiting.size === 0) return
    }
  }

  /** A row with too many values loses those beyond the header, so that the others stay where they belong. */
  private write(line: number, reason: string, record: readonly string[]): void {
    const own = (this.header ?? []).map((_, i) => record[i] ?? '')
    this.lines.push(csvRow([...own, String(line), reason]))
    if (this.lines.length >= MOST_HELD) this.flush()
  }

  private flush(): void {
    if (this.lines.length > 0) writeSync(this.file, this.lines.join(''))
    this.lines = []
  }
}

const csvRow = (values: readonly string[]): string => `${values.map(quoted).join(',')}\n`

const quoted = (value: string): string => (/[",\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)
