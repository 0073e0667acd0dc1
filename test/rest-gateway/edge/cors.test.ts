import { World } from '../../support/world'

const META = '/v1/partner/meta'

const HERE = 'https://app.example'

const preflight = {
  Origin: HERE,
  'Access-Control-Request-Method': 'GET',
  'Access-Control-Request-Headers': 'x-api-key',
}

async function within(origins: string[], check: (world: World, key: string) => Promise<void>): Promise<void> {
  const world = await World.open({ origins })
  try {
    await check(world, await world.make.key([]))
  } finally {
    await world.stop()
  }
}

test('by default no CORS headers are sent', () =>
  within([], async (world, key) => {
    for (const options of [
      { method: 'OPTIONS', headers: preflight },
      { key, headers: { Origin: HERE } },
    ]) {
      const { headers } = await world.get(META, options)
      expect(Object.keys(headers).filter(name => name.startsWith('access-control'))).toEqual([])
    }
    expect((await world.get(META, { key, headers: { Origin: HERE } })).headers.vary).toBe(
      'X-API-Key, Accept, Accept-Encoding',
    )
  }))

test('a page of an allowed origin may send its key and read the response headers, and pages of other origins may not', () =>
  within(['https://other.example', HERE], async (world, key) => {
    const response = await world.get(META, { method: 'OPTIONS', headers: preflight })
    expect([response.status, response.headers['access-control-allow-origin']]).toEqual([204, HERE])
    expect(response.headers['access-control-allow-headers']?.toLowerCase().split(',')).toContain('x-api-key')
    for (const presented of [key, 'msk_test_no']) {
      const { headers } = await world.get(META, { key: presented, headers: { Origin: HERE } })
      expect(headers['access-control-allow-origin']).toBe(HERE)
      expect(headers['access-control-expose-headers']?.split(',')).toEqual(
        expect.arrayContaining(['ETag', 'RateLimit', 'Retry-After', 'X-Request-Id']),
      )
    }
    expect((await world.get(META, { key, headers: { Origin: HERE } })).headers.vary).toMatch(/^Origin, X-API-Key/)
    for (const origin of ['https://evil.example', 'https://app.example.evil', 'null', 'http://app.example']) {
      const { status, headers } = await world.get(META, { key, headers: { Origin: origin } })
      expect([status, headers['access-control-allow-origin']]).toEqual([200, undefined])
      // Caches keep the responses apart.
      expect(headers.vary).toMatch(/^Origin/)
      const response = await world.get(META, { method: 'OPTIONS', headers: { ...preflight, Origin: origin } })
      expect([response.status, response.headers['access-control-allow-origin']]).toEqual([204, undefined])
    }
  }))

test('* allows every origin', () =>
  within(['*'], async (world, key) => {
    const { headers } = await world.get(META, { key, headers: { Origin: 'https://anybody.example' } })
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(headers['access-control-allow-credentials']).toBeUndefined()
  }))
