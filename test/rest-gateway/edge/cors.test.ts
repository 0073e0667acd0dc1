import { World } from '../../support/world'

const META = '/v1/partner/meta'
const VARY = 'X-API-Key, Accept, Accept-Encoding'
const HERE = 'https://app.example'

/** Services of one database, by the origins that the operator allows. */
const worlds = new Map<string, World>()
let key: string

beforeAll(async () => {
  const first = await World.open()
  key = await first.make.key([])
  worlds.set('', first)
  const database = { ...first.database, drop: async () => {} }
  for (const origins of [`https://other.example ${HERE}`, '*'])
    worlds.set(origins, await World.open({ database, origins: origins.split(' ') }))
})
afterAll(async () => {
  for (const world of [...worlds.values()].reverse()) await world.stop()
})

const OF_PAGES = `https://other.example ${HERE}`

test.each<[allowed: string, origin: string, expected: string | undefined, vary: string]>([
  ['', HERE, undefined, VARY],
  [OF_PAGES, HERE, HERE, `Origin, ${VARY}`],
  // Caches keep the responses apart.
  [OF_PAGES, 'https://evil.example', undefined, `Origin, ${VARY}`],
  [OF_PAGES, 'https://app.example.evil', undefined, `Origin, ${VARY}`],
  [OF_PAGES, 'null', undefined, `Origin, ${VARY}`],
  [OF_PAGES, 'http://app.example', undefined, `Origin, ${VARY}`],
  ['*', 'https://anybody.example', '*', `Origin, ${VARY}`],
])('where %j is allowed, a page of %s gets %s', async (allowed, origin, expected, vary) => {
  const world = worlds.get(allowed) as World
  const request = { 'Access-Control-Request-Method': 'GET', 'Access-Control-Request-Headers': 'x-api-key' }
  const responses = [
    await world.get(META, { key, headers: { Origin: origin } }),
    await world.get(META, { key: 'msk_test_no', headers: { Origin: origin } }),
    await world.get(META, { method: 'OPTIONS', headers: { Origin: origin, ...request } }),
  ] as const
  expect(responses.map(({ status }) => status)).toEqual([200, 401, 204])
  for (const { headers } of responses) {
    expect(headers['access-control-allow-origin']).toBe(expected)
    expect(headers['access-control-allow-credentials']).toBeUndefined()
  }
  expect(responses[0].headers.vary).toBe(vary)
  if (expected === undefined) return
  const listed = (value = '') => value.toLowerCase().split(',')
  expect(listed(responses[2].headers['access-control-allow-headers'])).toContain('x-api-key')
  for (const { headers } of responses.slice(0, 2)) {
    const exposed = listed(headers['access-control-expose-headers'])
    expect(exposed).toEqual(expect.arrayContaining(['etag', 'ratelimit', 'retry-after', 'x-request-id']))
  }
})
