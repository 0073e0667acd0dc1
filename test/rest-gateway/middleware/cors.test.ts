import { Service } from '../../support/service'

const META = '/v1/partner/meta'

const HERE = 'https://app.example'

const preflight = {
  Origin: HERE,
  'Access-Control-Request-Method': 'GET',
  'Access-Control-Request-Headers': 'x-api-key',
}

async function within(origins: string[], check: (service: Service, key: string) => Promise<void>): Promise<void> {
  const service = await Service.start({ origins })
  try {
    await check(service, await service.make.key([]))
  } finally {
    await service.stop()
  }
}

test('by default no CORS headers are sent', () =>
  within([], async (service, key) => {
    for (const options of [
      { method: 'OPTIONS', headers: preflight },
      { key, headers: { Origin: HERE } },
    ]) {
      const { headers } = await service.get(META, options)
      expect(Object.keys(headers).filter(name => name.startsWith('access-control'))).toEqual([])
    }
    expect((await service.get(META, { key, headers: { Origin: HERE } })).headers.vary).toBe(
      'X-API-Key, Accept, Accept-Encoding',
    )
  }))

test('a page of an allowed origin may send its key and read the response headers, errors included', () =>
  within(['https://other.example', HERE], async (service, key) => {
    const response = await service.get(META, { method: 'OPTIONS', headers: preflight })
    expect(response.status).toBe(204)
    expect(response.headers['access-control-allow-origin']).toBe(HERE)
    expect(response.headers['access-control-allow-headers']?.toLowerCase().split(',')).toContain('x-api-key')
    for (const presented of [key, 'msk_test_no']) {
      const { headers } = await service.get(META, { key: presented, headers: { Origin: HERE } })
      expect(headers['access-control-allow-origin']).toBe(HERE)
      expect(headers['access-control-expose-headers']?.split(',')).toEqual(
        expect.arrayContaining(['ETag', 'RateLimit', 'Retry-After', 'X-Request-Id']),
      )
    }
    expect((await service.get(META, { key, headers: { Origin: HERE } })).headers.vary).toMatch(/^Origin, X-API-Key/)
  }))

test('pages of other origins get no CORS headers, and caches keep the responses apart by Origin', () =>
  within([HERE], async (service, key) => {
    for (const origin of ['https://evil.example', 'https://app.example.evil', 'null', 'http://app.example']) {
      const { status, headers } = await service.get(META, { key, headers: { Origin: origin } })
      expect([status, headers['access-control-allow-origin']]).toEqual([200, undefined])
      expect(headers.vary).toMatch(/^Origin/)
      const response = await service.get(META, { method: 'OPTIONS', headers: { ...preflight, Origin: origin } })
      expect([response.status, response.headers['access-control-allow-origin']]).toEqual([204, undefined])
    }
  }))

test('* allows every origin', () =>
  within(['*'], async (service, key) => {
    const { headers } = await service.get(META, { key, headers: { Origin: 'https://anybody.example' } })
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(headers['access-control-allow-credentials']).toBeUndefined()
  }))
