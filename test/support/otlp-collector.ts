/** A collector of OpenTelemetry that decodes what it receives by OTLP (protobuf over HTTP). */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The names and types of the fields of a message that the tests read, by their numbers in opentelemetry-proto. */
type Message = Record<number, readonly [name: string, type: 'text' | 'id' | 'integer' | 'double' | Message]>

const VALUE: Message = { 1: ['text', 'text'], 3: ['integer', 'integer'], 4: ['double', 'double'] }
const ATTRIBUTE: Message = { 1: ['key', 'text'], 2: ['value', VALUE] }
const RESOURCE: Message = { 1: ['attributes', ATTRIBUTE] }
const EVENT: Message = { 1: ['time', 'integer'], 2: ['name', 'text'] }
const SPAN: Message = {
  1: ['traceId', 'id'],
  2: ['spanId', 'id'],
  4: ['parentSpanId', 'id'],
  5: ['name', 'text'],
  6: ['kind', 'integer'],
  7: ['start', 'integer'],
  8: ['end', 'integer'],
  9: ['attributes', ATTRIBUTE],
  11: ['events', EVENT],
  15: ['status', { 3: ['code', 'integer'] }],
}
const REQUEST: Message = { 1: ['resources', { 1: ['resource', RESOURCE], 2: ['scopes', { 2: ['spans', SPAN] }] }] }

// biome-ignore lint/suspicious/noExplicitAny: tests access the messages without types
export type Decoded = any

/** Returns the fields of a message by name: each a list, because any of them may be repeated. */
function decode(bytes: Buffer, message: Message): Decoded {
  const fields: Record<string, unknown[]> = {}
  let at = 0
  const readVarint = (): number => {
    for (let value = 0, factor = 1; ; factor *= 128) {
      const byte = bytes[at++] as number
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const tag = readVarint()
    const [name, type] = message[tag >> 3] ?? ['', 'id']
    const wire = tag & 7
    let values: unknown[]
    if (wire === 0) values = [readVarint()]
    else {
      const size = wire === 1 ? 8 : wire === 5 ? 4 : readVarint()
      const part = bytes.subarray(at, at + size)
      at += size
      if (type === 'text') values = [part.toString()]
      else if (type === 'id') values = [part.toString('hex')]
      else if (typeof type === 'object') values = [decode(part, type)]
      // A repeated number is packed.
      else values = Array.from({ length: size / 8 }, (_, i) => readFixed(part, i * 8, type))
    }
    if (name) fields[name] = [...(fields[name] ?? []), ...values]
  }
  return fields
}

const readFixed = (bytes: Buffer, at: number, type: 'integer' | 'double') =>
  type === 'double' ? bytes.readDoubleLE(at) : Number(bytes.readBigUInt64LE(at))

/** Returns attributes as an object. */
export const attributesOf = ({ attributes = [] }: Decoded): Record<string, string | number> =>
  Object.fromEntries(attributes.map(({ key, value }: Decoded) => [key[0], Object.values<Decoded>(value[0])[0]?.[0]]))

/** Starts a collector. While it is away, it closes connections at once: if its port were free, another server might get it. */
export async function startCollector() {
  let isAway = false
  const received: Decoded[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (request.url === '/v1/traces') received.push(decode(Buffer.concat(chunks), REQUEST))
    response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end()
  })
  server.on('connection', socket => {
    if (isAway) socket.destroy()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    spans: (): Decoded[] =>
      received
        .flatMap(({ resources }) => resources)
        .flatMap(({ resource, scopes }) =>
          scopes.flatMap(({ spans = [] }: Decoded) => spans.map((span: Decoded) => ({ ...span, resource }))),
        ),
    leave() {
      isAway = true
    },
    comeBack() {
      isAway = false
    },
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
