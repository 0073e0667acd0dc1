/** A button that copies rows as CSV, and says what it has copied. */
import { useState } from 'react'
import { copyText } from '../../copy-button'
import { readSeparator } from './separator'
import { type Records, writeRows } from './text-files'

export function CopyCsv({ records }: { records: Records }) {
  const [last, setLast] = useState<{ records: Records; message: string }>()
  const count = records.rows.length
  const copy = () =>
    copyText(writeRows(records, readSeparator())).then(
      () => setLast({ records, message: `${count} ${count === 1 ? 'row' : 'rows'} copied as CSV` }),
      () => setLast({ records, message: 'The browser did not allow copying: download the CSV file instead' }),
    )
  return (
    <>
      <button type="button" onClick={copy}>
        Copy as CSV
      </button>
      <span role="status">{last?.records === records && last.message}</span>
    </>
  )
}
