/** Reads and writes the CSV files of a copy record by record: a file may be larger than the memory of the process. */
import { appendFileSync, createReadStream, existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { readLines } from '../lines'
import type { Value } from './tables'

const CRLF = '\r\n'

/** Records that are written at once. */
const BATCH = 100

/** Returns a row as a record; null is empty, and an empty text is quoted. */
export const recordOf = (values: readonly Value[]): string => values.map(cellOf).join() + CRLF

const cellOf = (value: Value): string => {
  if (typeof value !== 'string') return `${value ?? ''}`
  return value === '' || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}

/** Returns the values of a record; null is empty. */
export function fieldsOf(record: string): string[] {
  const text = record.slice(0, -CRLF.length)
  if (!text.includes('"')) return text.split(',')
  const cells = text.matchAll(/(?:^|,)(?:"([^"]*(?:""[^"]*)*)"|([^,]*))/g)
  return [...cells].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!)
}

/** Returns the records behind the header; none of a file that does not exist. */
export async function* readRecords(file: string): AsyncGenerator<string> {
  if (!existsSync(file)) return
  let isHeader = true
  let record = ''
  for await (const line of readLines(createReadStream(file))) {
    record += `${line}\n`
    // A line that ends within quotes is continued by the next one.
    if (!record.endsWith(CRLF) || isWithinQuotes(record)) continue
    if (!isHeader) yield record
    isHeader = false
    record = ''
  }
}

const isWithinQuotes = (text: string): boolean => text.includes('"') && text.split('"').length % 2 === 0

/** Writes a new file, which is complete after `flush`. */
export class CsvWriter {
  /** Whether records were added in the order of their keys. */
  isSorted = true
  isEmpty = true
  private lastKey = ''
  private waiting: string[]

  constructor(
    readonly file: string,
    header: readonly string[],
  ) {
    mkdirSync(dirname(file), { recursive: true })
    this.waiting = [recordOf(header)]
  }

  add(key: string, record: string): void {
    if (key < this.lastKey) this.isSorted = false
    this.lastKey = key
    this.isEmpty = false
    if (this.waiting.push(record) > BATCH) this.flush()
  }

  flush(): void {
    appendFileSync(this.file, this.waiting.join(''))
    this.waiting = []
  }
}
