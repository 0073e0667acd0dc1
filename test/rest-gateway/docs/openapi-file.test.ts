/** The address of the service in the OpenAPI document, which many programs read from a file. */
import { gunzipSync } from 'node:zlib'
import { Proxies } from '../../../rest-gateway/edge/proxies'
import { type RequestOptions, send } from '../../support/http'
import { World } from '../../support/world'

describe('the OpenAPI document', () => {
  let direct: World
  let behindProxy: World
  let named: World

  beforeAll(async () => {
    direct = await World.open({ publicUrl: undefined })
    const limits = { proxies: new Proxies(['127.0.0.1']) }
    behindProxy = await World.open({ publicUrl: undefined, limits })
    named = await World.open({ publicUrl: 'https://metrics.example/api', limits })
  })
  afterAll(() => Promise.all([direct.stop(), behindProxy.stop(), named.stop()]))

  const get = (world: World, headers: RequestOptions['headers'] = {}) =>
    send(`${world.url}/openapi.json`, { headers: headers as Record<string, string> })

  const addressIn = async (world: World, headers?: RequestOptions['headers']) =>
    (await get(world, headers)).body.servers.map(({ url }: { url: string }) => url).join()

  test('has the host of the request', async () => {
    expect(await addressIn(direct)).toBe(direct.url)
    for (const Host of ['metrics.example', 'metrics.example:8443', '[2001:db8::1]:80', 'LOCALHOST'])
      expect(await addressIn(direct, { Host })).toBe(`http://${Host}`)
  })

  test.each(["a'b", 'a$(b)', 'a%2Fb', 'a,b', 'a.example:123456', 'a'.repeat(300)])(
    'does not repeat a Host that names none: %j',
    async Host => expect(await addressIn(direct, { Host })).toBe('/'),
  )

  test('has the scheme that a trusted proxy names, and believes nobody else', async () => {
    const forwarded = { Host: 'metrics.example', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'evil.example' }
    expect(await addressIn(behindProxy, forwarded)).toBe('https://metrics.example')
    expect(await addressIn(behindProxy, { ...forwarded, 'X-Forwarded-Proto': 'javascript' })).toBe(
      'http://metrics.example',
    )
    expect(await addressIn(direct, forwarded)).toBe('http://metrics.example')
  })

  test('has the address of the setting, whatever the request says', async () => {
    const forwarded = { Host: 'evil.example', 'X-Forwarded-Proto': 'http' }
    expect(await addressIn(named, forwarded)).toBe('https://metrics.example/api')
    const { headers } = await get(named)
    expect((await get(named, { ...forwarded, 'If-None-Match': headers.etag as string })).status).toBe(304)
    expect(headers.vary).toBe('Accept-Encoding')
  })

  test('has the address that links to the next page have, which are relative only where the request names no host', async () => {
    const forwarded = { Host: 'metrics.example', 'X-Forwarded-Proto': 'https' }
    const nextOf = async (world: World, headers: Record<string, string>) => {
      const company = await world.make.company()
      for (const _ of [1, 2]) await world.make.asset({ company })
      const path = '/v1/partner/assets?limit=1'
      const { body, headers: sent } = await world.get(path, { key: await world.make.key([company]), headers })
      return `${sent.link}`.replace(body.pagination.cursor, 'C')
    }
    const link = (url: string) => `<${url}/v1/partner/assets?limit=1&cursor=C>; rel="next"`
    expect(await nextOf(direct, forwarded)).toBe(link('http://metrics.example'))
    expect(await nextOf(direct, { Host: "a'b" })).toBe(link(''))
    expect(await nextOf(behindProxy, forwarded)).toBe(link('https://metrics.example'))
    expect(await nextOf(named, { Host: 'evil.example' })).toBe(link('https://metrics.example/api'))
  })

  test('is cached for its own address alone', async () => {
    const [a, b] = [{ Host: 'a.example' }, { Host: 'b.example' }]
    const { headers } = await get(direct, a)
    expect(headers.vary).toBe('X-Forwarded-Proto, Accept-Encoding')
    const tag = { 'If-None-Match': headers.etag as string }
    expect((await get(direct, { ...b, ...tag })).status).toBe(200)
    expect((await get(direct, { ...a, ...tag })).status).toBe(304)
    const compressed = await Promise.all(
      [a, b, a, b].map(async host => gunzipSync((await get(direct, { ...host, 'Accept-Encoding': 'gzip' })).bytes)),
    )
    expect(compressed.map(bytes => JSON.parse(bytes.toString()).servers[0].url)).toEqual(
      [a, b, a, b].map(({ Host }) => `http://${Host}`),
    )
  })
})
