/**
 * A connection of the load generator: sends a prepared request, waits for the whole response, and sends the next. Of a
 * response only the status and the length are parsed, so that the generator costs little CPU time.
 */
import { connect, type Socket } from 'node:net'

export interface Observer {
  /** The next request; undefined to stop. */
  next(): Buffer | undefined
  /** Called for each complete response. */
  responded(status: number): void
}

const END_OF_HEAD = '\r\n\r\n'
const END_OF_CHUNKS = Buffer.from('\r\n0\r\n\r\n')

/** Sends requests until the observer stops. @throws Error when the connection breaks */
export function run(port: number, observer: Observer): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const exchange = new Exchange(socket, observer, () => {
      socket.destroy()
      resolve()
    })
    socket.on('connect', () => exchange.send())
    socket.on('data', chunk => exchange.receive(chunk))
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed a connection')))
  })
}

class Exchange {
  private head: Buffer | undefined
  private status = 0
  /** Bytes of the body that are still missing; undefined for a chunked response. */
  private missing: number | undefined = 0
  private tail = Buffer.alloc(0)

  constructor(
    private readonly socket: Socket,
    private readonly observer: Observer,
    private readonly stop: () => void,
  ) {}

  send(): void {
    const request = this.observer.next()
    if (!request) return void this.stop()
    this.status = 0
    this.socket.write(request)
  }

  receive(chunk: Buffer): void {
    if (this.status === 0) {
      const body = this.readHead(chunk)
      if (!body) return
      this.readBody(body)
    } else this.readBody(chunk)
  }

  /** The beginning of the body, once the head is complete. */
  private readHead(chunk: Buffer): Buffer | undefined {
    const all = this.head ? Buffer.concat([this.head, chunk]) : chunk
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

  private readBody(body: Buffer): void {
    if (this.missing === undefined) {
      this.tail = Buffer.concat([this.tail, body]).subarray(-END_OF_CHUNKS.length)
      if (!this.tail.equals(END_OF_CHUNKS)) return
      this.tail = Buffer.alloc(0)
    } else {
      this.missing -= body.length
      if (this.missing > 0) return
    }
    this.observer.responded(this.status)
    this.send()
  }
}
