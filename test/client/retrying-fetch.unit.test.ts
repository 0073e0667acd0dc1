import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from '../../client/index'

let server: Server
/** The answers of the server, in order: a status with its Retry-After, or a lost connection. */
let answers: (number | 'lost')[]
let url: string

beforeAll(async () => {
  server = createServer((request, response) => {
    const answer = answers.shift()
    if (answer === 'lost') request.socket.destroy()
    else if (answer === 200) response.end('{"asset_id":"a","impressions":1}\n{"asset_id":"b","impressions":null}\n')
    else if (answer === 206) response.end('{"asset_id":"a"}\n{"asset')
    else
      response
        .writeHead(answer as number, { 'Retry-After': '0' })
        .end('{"error":{"code":"SOME","message":"Text.","details":{"x":1}}}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

async function read(...given: typeof answers) {
  answers = given
  const reasons: string[] = []
  const metrics = connect({ url, key: 'key', retries: 3, onRetry: reason => reasons.push(reason) })
  const rows = []
  const range = { from_date: '2026-01-01', to_date: '2026-01-31' }
  for await (const row of metrics.rows('/v1/partner/impressions', range)) rows.push(row)
  return { rows, reasons }
}

test('a request is repeated while the service is busy or away, and after a lost connection', async () => {
  const { rows, reasons } = await read(429, 503, 'lost', 200)
  expect(rows).toEqual([
    { asset_id: 'a', impressions: 1 },
    { asset_id: 'b', impressions: null },
  ])
  expect(reasons).toEqual(['status 429', 'status 503', expect.stringMatching(/closed|hang up|reset/)])
})

test('a request is not repeated for ever, nor after an error of its own', async () => {
  const error = { name: 'MetricsError', code: 'SOME', message: 'Text.', details: { x: 1 } }
  await expect(read(503, 503, 503, 503, 200)).rejects.toMatchObject({ ...error, status: 503 })
  await expect(read(400, 200)).rejects.toMatchObject({ ...error, status: 400 })
})

test('a service that has never answered is not waited for', async () => {
  await expect(read('lost', 200)).rejects.toThrow('fetch failed')
  expect(answers).toEqual([200])
})

test('rows of a stream that ends within one are an error', async () => {
  await expect(read(206)).rejects.toThrow('the response ended within a line')
})
