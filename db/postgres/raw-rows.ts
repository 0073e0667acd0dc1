/**
 * A pg client that passes data rows on as bytes instead of decoding them, and their decoders: decoding was 15 % of a page of 50 assets.
 *
 * It replaces the parser of pg's connection, which is a private interface: the version of pg is exact in package.json, and a
 * test of the contract fails where another one lacks what is replaced.
 */
import type { Socket } from 'node:net'
import { Client, type ClientConfig } from 'pg'
import { Parser } from 'pg-protocol/dist/parser'
import { findParser } from './pool'

/** A data row within the bytes of the read that it arrived with. Valid until the next read. */
export interface DataRow {
  name: 'dataRow'
  bytes: Buffer
  start: number
  end: number
}

const DATA_ROW = 'D'.charCodeAt(0)

const LENGTH_BYTES = 4

class RawRowParser extends Parser {
  override handlePacket(start: number, code: number, length: number, bytes: Buffer): { name: string } {
    if (code !== DATA_ROW) return super.handlePacket(start, code, length, bytes)
    return { name: 'dataRow', bytes, start, end: start + length - LENGTH_BYTES } as DataRow
  }
}

interface Connection {
  attachListeners(stream: Socket): void
  emit(event: string, message: object): void
}

/** For pipelined batches only. */
export class RawRowClient extends Client {
  constructor(config?: ClientConfig) {
    super(config)
    const { connection } = this as unknown as { connection: Connection }
    connection.attachListeners = stream => {
      const parser = new RawRowParser()
      const emit = (message: { name: string }) =>
        connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message)
      stream.on('data', bytes => parser.parse(bytes, emit))
    }
  }
}

export interface Field {
  name: string
  dataTypeID: number
}

/** Decodes the row, or the cell, between two offsets of the bytes. */
export type DecodeRow = (bytes: Buffer, start: number, end: number) => unknown

/**
 * Returns the decoder for rows with these columns. A cell is a text preceded by its length (-1: null). Creating a string from bytes is
 * expensive, even for a few bytes: numbers and packed counts are decoded from the bytes, and all other cells are cut out of
 * one string of the whole row in Latin-1, in which every byte is one character.
 */
export function rowDecoder(fields: readonly Field[]): DecodeRow {
  const properties = fields.map(({ name }, i) => `${JSON.stringify(name)}: values[${i}]`)
  const values: unknown[] = fields.map(() => null)
  // Adding properties to an object one by one takes ten times as long.
  const createRow = new Function('values', `return { ${properties} }`) as (values: unknown[]) => unknown
  const fromBytes = fields.map(({ dataTypeID }) => FROM_BYTES[dataTypeID])
  const fromText = fields.map(({ dataTypeID }) => textDecoder(dataTypeID))
  return (bytes, start, end) => {
    let text: string | undefined
    let next = start + COUNT_BYTES
    for (let i = 0; i < fields.length; i++) {
      const length = bytes.readInt32BE(next)
      const from = next + LENGTH_BYTES
      next = from + Math.max(0, length)
      const decodeBytes = fromBytes[i]
      if (length < 0) values[i] = null
      else if (decodeBytes) values[i] = decodeBytes(bytes, from, next)
      else {
        text ??= bytes.toString('latin1', start, end)
        values[i] = fromText[i]!(text.slice(from - start, next - start))
      }
    }
    return createRow(values)
  }
}

/** A row begins with the number of its cells. */
const COUNT_BYTES = 2

/** Decodes a cell of a type from its Latin-1 text, which equals the UTF-8 text as long as it is ASCII. */
function textDecoder(oid: number): (text: string) => unknown {
  const parse = findParser(oid)
  return parse ? text => parse(utf8(text)) : utf8
}

const utf8 = (text: string): string => (NOT_ASCII.test(text) ? Buffer.from(text, 'latin1').toString() : text)

const NOT_ASCII = /[\x80-\xff]/

/** The pool's parser reports numbers that are too large. */
const integer = (oid: number) => (bytes: Buffer, start: number, end: number) => {
  const negative = bytes[start] === MINUS
  let number = 0
  for (let i = negative ? start + 1 : start; i < end; i++) number = number * 10 + bytes[i]! - ZERO
  if (number > Number.MAX_SAFE_INTEGER) return findParser(oid)?.(bytes.toString('latin1', start, end))
  return negative ? -number : number
}

/**
 * Returns an integer[] or bigint[] whose elements may be null. If its lower bound is not 1, the bounds precede the
 * opening brace.
 */
const integerArray = (oid: number) => {
  const decode = integer(oid)
  return (bytes: Buffer, start: number, end: number) => {
    const numbers: unknown[] = []
    for (let i = bytes.indexOf(BRACE, start) + 1; i < end - 1; i++) {
      const from = i
      while (bytes[i] !== COMMA && i < end - 1) i++
      numbers.push(bytes[from] === N ? null : decode(bytes, from, i))
    }
    return numbers
  }
}

/** Returns a bytea in hex format, `\x` and two digits per byte: the login has bytea_output set so. */
function bytea(bytes: Buffer, start: number, end: number): Buffer {
  if (bytes[start + 1] !== X) throw new RangeError('a value of bytea is not in hex: the login lacks its settings')
  return Buffer.from(bytes.toString('latin1', start + 2, end), 'hex')
}

const [MINUS, ZERO = 0, TRUE, BRACE = 0, COMMA, N, X] = Buffer.from('-0t{,Nx')

/** By type OID: decoded without a string. */
const FROM_BYTES: Record<number, DecodeRow> = {
  16: (bytes, start) => bytes[start] === TRUE,
  17: bytea,
  20: integer(20),
  21: integer(21),
  23: integer(23),
  1007: integerArray(23),
  1016: integerArray(20),
}
