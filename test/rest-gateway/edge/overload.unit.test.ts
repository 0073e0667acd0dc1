import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import Koa from 'koa'
import { FairQueue } from '../../../db/postgres/fair-queue'
import { Connections } from '../../../rest-gateway/edge/connections'
import { overload } from '../../../rest-gateway/edge/overload'
import { Proxies } from '../../../rest-gateway/edge/proxies'
import { RateLimits } from '../../../rest-gateway/edge/rates'
import type { Gateway } from '../../../rest-gateway/gateway'
import type { KoaContext } from '../../../rest-gateway/state'

const LARGE = 100_000

const LIMITS = {
  ...{ maxConnections: 10, maxConnectionsPerAddress: 10, proxies: new Proxies([]) },
  ...{ maxEventLoopDelayMs: 60_000, maxUnsentBytes: 2 * LARGE },
}

test('large responses beyond the limit are refused until others are sent; a single one of any size and small ones never are', async () => {
  const database = { queue: new FairQueue(4, 1_000) } as Gateway['database']
  const rates = new RateLimits({ requests: 1, seconds: 60 })
  const handle = overload({ database, limits: LIMITS, rates }, new Connections(LIMITS))
  const request = async (bytes: number): Promise<KoaContext> => {
    const incoming = new IncomingMessage(new Socket())
    const ctx = new Koa().createContext(incoming, new ServerResponse(incoming)) as unknown as KoaContext
    ctx.path = '/v1/partner/meta'
    await handle(ctx, async () => {
      ctx.body = Buffer.alloc(bytes)
    })
    return ctx
  }
  const refused = { code: 'UNAVAILABLE' }
  const single = await request(3 * LARGE)
  await expect(request(LARGE)).rejects.toMatchObject(refused)
  await request(1)
  single.res.emit('close')
  const [first] = [await request(LARGE), await request(LARGE)]
  await expect(request(LARGE)).rejects.toMatchObject(refused)
  first.res.emit('close')
  await request(LARGE)
})
