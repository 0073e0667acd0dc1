/** The address of the service in the OpenAPI document, which many programs read from a file, and in links to next pages. */
import { Proxies } from '../../../rest-gateway/edge/proxies'
import { send } from '../../support/http'
import { World } from '../../support/world'

/** Services of one database: asked directly, behind a trusted proxy, and with an address of the operator's. */
const worlds = {} as Record<'direct' | 'behindProxy' | 'named', World>
let key: string

beforeAll(async () => {
  const direct = await World.open({ publicUrl: undefined, supportContact: 'partners@example.com' })
  const database = { ...direct.database, drop: async () => {} }
  const limits = { proxies: new Proxies(['127.0.0.1']) }
  const behindProxy = await World.open({
    database,
    publicUrl: undefined,
    supportContact: 'https://help.example/',
    limits,
  })
  const named = await World.open({ database, publicUrl: 'https://metrics.example/api', limits })
  Object.assign(worlds, { direct, behindProxy, named })
  const company = await direct.make.company()
  key = await direct.make.key([company])
  for (const _ of [1, 2]) await direct.make.asset({ company })
})
afterAll(async () => {
  for (const world of [worlds.named, worlds.behindProxy, worlds.direct]) await world.stop()
})

const get = (world: World, headers: Record<string, string> = {}) => send(`${world.url}/openapi.json`, { headers })

const HTTPS = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'evil.example' }

test.each<[service: keyof typeof worlds, host: string, headers: Record<string, string>, expected: string]>([
  ['direct', 'metrics.example', {}, 'http://metrics.example'],
  ['direct', 'metrics.example:8443', {}, 'http://metrics.example:8443'],
  ['direct', '[2001:db8::1]:80', {}, 'http://[2001:db8::1]:80'],
  ['direct', 'LOCALHOST', {}, 'http://LOCALHOST'],
  // A Host that names none is not repeated.
  ...["a'b", 'a$(b)', 'a%2Fb', 'a,b', 'a.example:123456', 'a'.repeat(300)].map(
    host => ['direct', host, {}, ''] as ['direct', string, object, string],
  ),
  // The scheme of a trusted proxy is believed, and nobody else's.
  ['direct', 'metrics.example', HTTPS, 'http://metrics.example'],
  ['behindProxy', 'metrics.example', HTTPS, 'https://metrics.example'],
  ['behindProxy', 'metrics.example', { 'X-Forwarded-Proto': 'javascript' }, 'http://metrics.example'],
  ['named', 'evil.example', { 'X-Forwarded-Proto': 'http' }, 'https://metrics.example/api'],
])('the address of a service (%s) with the Host %j and %j is %j', async (service, Host, headers, expected) => {
  const world = worlds[service]
  const { body } = await get(world, { Host, ...headers })
  expect(body.servers).toMatchObject([{ url: expected || '/' }])
  const path = '/v1/partner/assets?limit=1'
  const page = await world.get(path, { key, headers: { Host, ...headers } })
  const { cursor } = page.body.pagination
  expect(page.headers.link).toBe(`<${expected}${path}&cursor=${cursor}>; rel="next"`)
})

test('the document names whom partners ask', async () => {
  const contactOf = async (world: World) => (await get(world)).body.info.contact
  const name = 'The operator who issued your key'
  expect(await contactOf(worlds.named)).toEqual({ name })
  expect(await contactOf(worlds.direct)).toEqual({ name, email: 'partners@example.com' })
  expect(await contactOf(worlds.behindProxy)).toEqual({ name, url: 'https://help.example/' })
})
