/** The separator of CSV files: the one that the reader has chosen, or else that of spreadsheets in the browser's language. */
import type { Separator } from './text-files'

const STORAGE_KEY = 'explorer:csv-separator'

export const storeSeparator = (separator: Separator): void => localStorage.setItem(STORAGE_KEY, separator)

export const readSeparator = (): Separator =>
  (localStorage.getItem(STORAGE_KEY) as Separator) ?? ((1.5).toLocaleString().includes(',') ? ';' : ',')
