import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { RecordParser } from '../../imports/csv/record-parser'
import { chunksOf, collectBatches, type ReadCsv, readCsv } from '../support/csv'
import { anyCsvBytes } from '../support/csv-bytes'
import { testProperty } from '../support/fuzz'

/** Returns the records according to csv-parse alone. */
const parse = (bytes: Buffer) =>
  collectBatches(async function* (onRowError) {
    const parser = new RecordParser(onRowError, { delimiter: ',', encoding: 'utf-8' })
    yield await parser.parse(bytes.subarray(bytes.toString('hex').startsWith('efbbbf') ? 3 : 0))
    yield await parser.finish()
  })

const isUtf16 = (bytes: Buffer) => /^(fffe|feff)/.test(bytes.toString('hex'))

/** Whether the file was refused before its records were read, as JSON or HTML: such an error has no line. */
const isOfAnotherType = ({ errors }: ReadCsv) => errors.some(error => error.startsWith('undefined: '))

testProperty(
  'CSV bytes',
  'any bytes are read as records or rejected by line, alike in any chunks, by both parsers',
  fc.tuple(anyCsvBytes, fc.integer({ min: 1, max: 20 })),
  async ([bytes, size]) => {
    // In bytes that are not UTF-8, the replacement character is taken for one of them.
    fc.pre(isUtf8(bytes) || !bytes.includes('\ufffd'))
    const whole = await readCsv([bytes])
    expect(await readCsv(chunksOf(bytes, size))).toEqual(whole)
    if (!isUtf16(bytes) && !isOfAnotherType(whole)) expect(await parse(bytes)).toEqual(whole)
    for (const line of whole.lines) expect(line).toBeGreaterThan(0)
  },
)
