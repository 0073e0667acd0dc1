/**
 * How rows are read from the bytes in which they come: one function a shape of rows, compiled when the shape is first met.
 * A cell is a text behind its length (-1: null). To make a text of bytes is dear, and hardly less so of a few of them: numbers
 * and what is packed are read from the bytes, and the other cells are cut out of one text of the row, byte by byte a character.
 */
import { codesOf } from './character-codes'
import { parserOf } from './pool'

/** A column as PostgreSQL describes it. */
export interface Field {
  name: string
  dataTypeID: number
}

/** The row that stands there. */
export type DecodeRow = (bytes: Buffer, at: number, end: number) => unknown

/** Reads rows of these columns. */
export function rowDecoder(fields: readonly Field[]): DecodeRow {
  const key = fields.map(({ name, dataTypeID }) => `${name} ${dataTypeID}`).join()
  const known = readers.get(key)
  if (known) return known
  const cells = fields.map(({ dataTypeID }, i) => {
    const cell = dataTypeID in FROM_BYTES ? `bytes, start, next` : `row.slice(start - at, next - at)`
    return `
  length = bytes[next] << 24 | bytes[next + 1] << 16 | bytes[next + 2] << 8 | bytes[next + 3]
  start = next + ${LENGTH_BYTES}
  if (length >= 0) {
    next = start + length
    ${dataTypeID in FROM_BYTES ? '' : `row ??= bytes.toString('latin1', at, end)`}
    cell${i} = read[${i}](${cell})
  } else next = start`
  })
  // The names are those of our own statements, and as literals they can be nothing else than names.
  const reader = new Function(
    'read',
    `return (bytes, at, end) => {
  let length, start, next = at + ${COUNT_BYTES}, row
  let ${fields.map((_, i) => `cell${i} = null`).join(', ')}${cells.join('')}
  return { ${fields.map(({ name }, i) => `${JSON.stringify(name)}: cell${i}`).join(', ')} }
}`,
  )(fields.map(({ dataTypeID }) => FROM_BYTES[dataTypeID] ?? textReader(dataTypeID))) as DecodeRow
  readers.set(key, reader)
  return reader
}

/** As many as the service has shapes. */
const readers = new Map<string, DecodeRow>()

const LENGTH_BYTES = 4

/** In front of all cells stands how many there are. */
const COUNT_BYTES = 2

/** Reads a cell of a type from its text in Latin-1, which is what it is as long as it is ASCII. */
function textReader(oid: number): (text: string) => unknown {
  const parse = TEXTS[oid] ?? parserOf(oid)
  return parse ? text => parse(utf8(text)) : utf8
}

const utf8 = (text: string): string => (NOT_ASCII.test(text) ? Buffer.from(text, 'latin1').toString() : text)

const NOT_ASCII = /[\x80-\xff]/

/** A list of texts; where one of them is quoted or null, in the usual way. */
const list = (text: string): unknown => {
  if (/["\\]|null/i.test(text)) return parserOf(1009)?.(text)
  return text === '{}' ? [] : text.slice(1, -1).split(',')
}

/** By the number of the type, what is quicker than the usual way. */
const TEXTS: Record<number, (text: string) => unknown> = { 701: Number, 1009: list }

/** What is too large to count with is for the usual parser to say. */
const wholeNumber = (oid: number) => (bytes: Buffer, start: number, end: number) => {
  const negative = bytes[start] === MINUS
  let number = 0
  for (let i = negative ? start + 1 : start; i < end; i++) number = number * 10 + (bytes[i] as number) - ZERO
  if (number > Number.MAX_SAFE_INTEGER) return parserOf(oid)?.(bytes.toString('latin1', start, end))
  return negative ? -number : number
}

/** A list of whole numbers, some of which may be null. Where it does not begin with 1 its bounds stand in front of it. */
const wholeNumbers = (oid: number) => {
  const read = wholeNumber(oid)
  return (bytes: Buffer, start: number, end: number) => {
    const numbers: unknown[] = []
    for (let i = bytes.indexOf(BRACE, start) + 1; i < end - 1; i++) {
      const from = i
      while (bytes[i] !== COMMA && i < end - 1) i++
      numbers.push(bytes[from] === N ? null : read(bytes, from, i))
    }
    return numbers
  }
}

/** What each digit of a byte in hexadecimal stands for, by its character. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => Number.parseInt(String.fromCharCode(code), 16) || 0)

/** Two digits a byte, behind `\x`: so our connections ask for it. */
function byteString(bytes: Buffer, start: number, end: number): Buffer {
  const read = Buffer.allocUnsafe((end - start - 2) / 2)
  for (let i = 0, at = start + 2; i < read.length; i++, at += 2) {
    read[i] = ((DIGITS[bytes[at] as number] as number) << 4) | (DIGITS[bytes[at + 1] as number] as number)
  }
  return read
}

const [MINUS, ZERO, TRUE, BRACE, COMMA, N] = codesOf('-', '0', 't', '{', ',', 'N')

/** By the number of the type, what needs no text at all. */
const FROM_BYTES: Record<number, (bytes: Buffer, start: number, end: number) => unknown> = {
  16: (bytes, start) => bytes[start] === TRUE,
  17: byteString,
  20: wholeNumber(20),
  21: wholeNumber(21),
  23: wholeNumber(23),
  1016: wholeNumbers(20),
}
