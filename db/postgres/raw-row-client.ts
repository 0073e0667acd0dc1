/**
 * Connections that hand rows over as the bytes in which they came. To decode them takes most of the time that reading a page
 * takes: so nothing is decoded that is not needed, nor into a text what is a number.
 */
import type { Socket } from 'node:net'
import { Client, type ClientConfig } from 'pg'
import { Parser } from 'pg-protocol/dist/parser'

/** A row among the bytes that came with it, which are there until the next come. */
export interface DataRow {
  name: 'dataRow'
  bytes: Buffer
  /** Where the row begins, and where it ends. */
  at: number
  end: number
}

const DATA_ROW = 'D'.charCodeAt(0)

const LENGTH_BYTES = 4

class RowParser extends Parser {
  override handlePacket(at: number, code: number, length: number, bytes: Buffer): { name: string } {
    if (code !== DATA_ROW) return super.handlePacket(at, code, length, bytes)
    const row: DataRow = { name: 'dataRow', bytes, at, end: at + length - LENGTH_BYTES }
    return row
  }
}

interface Connection {
  attachListeners(stream: Socket): void
  emit(event: string, message: object): void
}

/** A client of pg for queries that take rows so, which only flights do. */
export class RowClient extends Client {
  constructor(config?: ClientConfig) {
    super(config)
    const { connection } = this as unknown as { connection: Connection }
    connection.attachListeners = stream => {
      const parser = new RowParser()
      const tell = (message: { name: string }) =>
        connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message)
      stream.on('data', bytes => parser.parse(bytes, tell))
    }
  }
}
