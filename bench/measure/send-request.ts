/** Sends one of the prepared requests and reads the whole response. */
import { Agent, request } from 'node:http'

interface Response {
  status: number
  body: Buffer
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** @param text the request as sent on the wire */
export function sendRequest(port: number, text: string): Promise<Response> {
  const [head, body] = text.split('\r\n\r\n') as [string, string]
  const [requestLine, ...lines] = head.split('\r\n') as [string, ...string[]]
  const [method, path] = requestLine.split(' ') as [string, string]
  const headers = Object.fromEntries(lines.map(line => line.split(/: (.*)/, 2)))
  return new Promise((resolve, reject) => {
    const outgoing = request({ agent, port, host: '127.0.0.1', method, path, headers }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode!, body: Buffer.concat(chunks) }))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
