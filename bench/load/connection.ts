/**
 * One connection of the load generator: sends a prepared request, waits for the whole answer, sends the next. Answers are
 * not parsed further than to their status and their end, so that the generator costs less than what it measures.
 */
import { connect, type Socket } from 'node:net'

export interface Observer {
  /** The next request to send, undefined when there is no more to be sent. */
  next(): Buffer | undefined
  /** A whole answer has come. */
  answered(status: number, bytes: number, milliseconds: number): void
}

const END_OF_HEAD = '\r\n\r\n'
const END_OF_CHUNKS = Buffer.from('\r\n0\r\n\r\n')

/** Sends until there is no more to be sent, or the connection breaks. */
export function run(port: number, observer: Observer): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const exchange = new Exchange(socket, observer, () => {
      socket.destroy()
      resolve()
    })
    socket.on('connect', () => exchange.send())
    socket.on('data', piece => exchange.receive(piece))
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed a connection')))
  })
}

class Exchange {
  private sentAt = 0
  private head: Buffer | undefined
  private status = 0
  private bytes = 0
  /** Bytes of the answer that are still to come; undefined for an answer in chunks. */
  private missing: number | undefined = 0
  private tail = Buffer.alloc(0)

  constructor(
    private readonly socket: Socket,
    private readonly observer: Observer,
    private readonly end: () => void,
  ) {}

  send(): void {
    const request = this.observer.next()
    if (!request) return void this.end()
    this.sentAt = performance.now()
    this.status = 0
    this.bytes = 0
    this.socket.write(request)
  }

  receive(piece: Buffer): void {
    if (this.status === 0) {
      const body = this.readHead(piece)
      if (!body) return
      this.take(body)
    } else this.take(piece)
  }

  /** The body's beginning once the head is whole. */
  private readHead(piece: Buffer): Buffer | undefined {
    const all = this.head ? Buffer.concat([this.head, piece]) : piece
    const end = all.indexOf(END_OF_HEAD)
    if (end < 0) {
      this.head = all
      return undefined
    }
    this.head = undefined
    const head = all.toString('latin1', 0, end)
    this.status = Number(head.slice(9, 12))
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
    this.missing = length !== undefined ? Number(length) : /\r\ntransfer-encoding: chunked/i.test(head) ? undefined : 0
    return all.subarray(end + END_OF_HEAD.length)
  }

  private take(body: Buffer): void {
    this.bytes += body.length
    if (this.missing === undefined) {
      this.tail = Buffer.concat([this.tail, body]).subarray(-END_OF_CHUNKS.length)
      if (!this.tail.equals(END_OF_CHUNKS)) return
      this.tail = Buffer.alloc(0)
    } else {
      this.missing -= body.length
      if (this.missing > 0) return
    }
    this.observer.answered(this.status, this.bytes, performance.now() - this.sentAt)
    this.send()
  }
}
