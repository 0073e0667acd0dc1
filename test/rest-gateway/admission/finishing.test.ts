/** When an answer is over: who cleans up behind it is told, and its connection carries nothing of it on. */
import { once } from 'node:events'
import { createServer, get, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Readable } from 'node:stream'
import Koa, { type Context } from 'koa'
import { tellFinished } from '../../../rest-gateway/admission/finishing'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** Answers everything in one way, and returns where. */
async function answering(answer: (ctx: Context) => void): Promise<string> {
  const app = new Koa()
  app.silent = true
  app.use(answer)
  server = createServer(tellFinished(app.callback()))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('what answers a request adds no listeners to its connection', async () => {
  const listeners = (socket: Socket) => ['error', 'close'].map(event => socket.listenerCount(event))
  const found: number[][] = []
  const url = await answering(ctx => {
    found.push(listeners(ctx.req.socket))
    ctx.body = 'an answer'
  })
  server?.prependListener('request', ({ socket }) => found.push(listeners(socket)))
  await fetch(url).then(answer => answer.text())
  const [before, during] = found
  expect(during).toEqual(before)
})

test('a stream is destroyed whose caller hangs up in the middle of it', async () => {
  const endless = new Readable({ read: () => endless.push(Buffer.alloc(65_536)) })
  const url = await answering(ctx => {
    ctx.body = endless
  })
  const asking = get(url)
  const [response] = await once(asking, 'response')
  response.once('data', () => asking.destroy())
  response.on('error', () => {})
  await once(endless, 'close')
  expect(endless.destroyed).toBe(true)
})
