import type { Socket } from 'node:net'
import { admission } from '../../../rest-gateway/admission/admission'
import { Rank } from '../../../rest-gateway/admission/connection'
import type { ConnectionGuard } from '../../../rest-gateway/admission/connection-guard'
import { FairScheduler } from '../../../rest-gateway/admission/fair-scheduler'
import { InFlight } from '../../../rest-gateway/admission/in-flight'
import { Proxies } from '../../../rest-gateway/admission/proxies'
import { koaContext } from '../../support/koa-context'

const LARGE = 100_000

/** A letter is a request of the caller of that name, a capital one has a large response; none ends. */
test.each([
  ['a caller may have half of the requests', { maxInFlight: 4 }, 'aaabb', 'protected', 'a', ''],
  ['all callers together have the maximum', { maxInFlight: 3 }, 'aabbc', 'protected', 'bc', ''],
  ['a caller may have half of the bytes', { maxUnsentBytes: 4 * LARGE }, 'AAAaBB', 'protected', 'A', ''],
  ['a single response of any size has room', { maxUnsentBytes: LARGE / 2 }, 'ABB', 'protected', 'BB', ''],
  ['at a limit the own responses that are not read make room', { maxUnsentBytes: 4 * LARGE }, 'ABAA', 'idle', '', 'A'],
  ['those of others make room for a caller with less', { maxUnsentBytes: 3 * LARGE }, 'ABCD', 'idle', '', 'A'],
  ['requests make room for requests', { maxInFlight: 2 }, 'abc', 'idle', '', 'a'],
] as const)('%s', (_, limits, arriving, clients, refused, dropped) => {
  const rank = clients === 'protected' ? Rank.Protected : Rank.Idle
  const inFlight = new InFlight({ maxInFlight: 100, maxUnsentBytes: 100 * LARGE, ...limits }, { rankOf: () => rank })
  const actual = { refused: '', dropped: '' }
  for (const name of arriving) {
    const drop = () => {
      actual.dropped += name
    }
    const socket = { destroy: drop } as unknown as Socket
    const request = inFlight.start(name.toLowerCase(), socket)
    if (!request || !inFlight.send(request, name === name.toUpperCase() ? LARGE : 1)) {
      actual.refused += name
      if (request) inFlight.finish(request)
    }
  }
  expect(actual).toEqual({ refused, dropped })
})

test('a large response for which there is no room is replaced by an error', async () => {
  const connections = { refuses: () => false, rankOf: () => Rank.Protected } as unknown as ConnectionGuard
  const limits = { maxInFlight: 100, maxUnsentBytes: 2 * LARGE, maxEventLoopDelayMs: 60_000, proxies: new Proxies([]) }
  const gateway = { limits: { ...limits, maxConnections: 10, maxConnectionsPerAddress: 10 } }
  const handle = admission({ ...gateway, scheduler: new FairScheduler(4, 1_000) }, connections)
  const request = async (bytes: number) => {
    const ctx = koaContext()
    ctx.path = '/v1/partner/meta'
    await handle(ctx, async () => {
      ctx.body = Buffer.alloc(bytes)
    })
  }
  await request(LARGE)
  await expect(request(LARGE)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await request(1)
})
