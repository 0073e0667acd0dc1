/** Requests over HTTP as they are sent, and responses as they arrive. */
import { request } from 'node:http'
import { connect } from 'node:net'

export interface TestResponse {
  status: number
  headers: Record<string, string | undefined>
  bytes: Buffer
  text: string
  /** The parsed body, if it is uncompressed JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies are checked against the OpenAPI document
  body: any
}

export interface RequestOptions {
  key?: string
  method?: string
  body?: string | Buffer
  headers?: Record<string, string | string[]>
}

/** Sends a request without caching, decompression or default headers. */
export function send(
  url: string,
  { key, method = 'GET', body, headers = {} }: RequestOptions = {},
): Promise<TestResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers: { ...headers, ...(key !== undefined && { 'X-API-Key': key }) } })
    outgoing.on('error', reject)
    outgoing.on('response', response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const text = bytes.toString()
        const json = text !== '' && response.headers['content-type']?.startsWith('application/json')
        const parsable = json && !response.headers['content-encoding']
        resolve({
          status: response.statusCode as number,
          headers: response.headers as TestResponse['headers'],
          bytes,
          text,
          body: parsable ? JSON.parse(text) : undefined,
        })
      })
    })
    outgoing.end(body)
  })
}

/**
 * Sends exactly these bytes on a connection of their own.
 *
 * @param ends whether the client closes its side behind them
 * @returns what is received until the service closes the connection
 */
export function sendRaw(url: string, bytes: string | Buffer, ends = true): Promise<string> {
  const { port, hostname } = new URL(url)
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => (ends ? socket.end(bytes) : socket.write(bytes)))
    socket.setTimeout(20_000, () => socket.destroy(new Error('the connection stays open')))
    socket.setEncoding('latin1').on('data', chunk => (text += chunk))
    socket.on('error', error => (/ECONNRESET|EPIPE/.test(error.message) ? resolve(text) : reject(error)))
    socket.on('close', () => resolve(text))
  })
}
