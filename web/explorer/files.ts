/** Files that the browser downloads. */
import { type Row, type Separator, writeCsv } from './rows'

function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Revoking the URL at once can cancel the download.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Returns the separator of spreadsheets in the language of the browser. */
const findSeparator = (): Separator => ((1.5).toLocaleString().includes(',') ? ';' : ',')

export const saveCsv = (name: string, columns: readonly string[], rows: readonly Row[]): void =>
  download(`${name}.csv`, new Blob([writeCsv(columns, rows, findSeparator())], { type: 'text/csv;charset=utf-8' }))
