import { World } from '../../support/world'

let world: World
let key: string

beforeAll(async () => {
  world = await World.open()
  key = await world.make.key([await world.make.company('Acme')])
})
afterAll(() => world.stop())

const META = '/v1/partner/meta'

const change = (set: string, text: string) =>
  world.owner.query(`UPDATE api_keys SET ${set} WHERE hash = sha256($1::bytea)`, [text])

const issue = async (statement: string) => {
  const text = await world.make.key([])
  await world.owner.query(`${statement} WHERE hash = sha256($1::bytea)`, [text])
  return text
}

test.each<[what: string, code: string, presented: () => Promise<string | string[] | undefined>, details?: object]>([
  ['no key', 'MISSING_API_KEY', async () => undefined],
  ['one of the other environment', 'WRONG_ENVIRONMENT', async () => 'msk_live_', { expected_prefix: 'msk_test_' }],
  ['nonsense', 'INVALID_API_KEY', async () => 'nonsense'],
  ['an empty one', 'INVALID_API_KEY', async () => ''],
  ['one with a character more', 'INVALID_API_KEY', async () => `${key}x`],
  ['a repeated one', 'INVALID_API_KEY', async () => [key, key]],
  ['an unknown one', 'INVALID_API_KEY', () => issue('DELETE FROM api_keys')],
  ['a deactivated one', 'INVALID_API_KEY', () => issue('UPDATE api_keys SET deactivated_at = now()')],
  ['one that has ended', 'INVALID_API_KEY', () => issue('UPDATE api_keys SET expires_at = now()')],
])('%s gets %s, with a challenge', async (_, code, presented, details = {}) => {
  const value = await presented()
  const headers = value === undefined ? {} : { 'X-API-Key': value }
  const response = await world.get(META, { headers })
  expect([response.status, response.body.error.code, response.body.error.details]).toEqual([401, code, details])
  expect(response.headers).toMatchObject({ 'www-authenticate': 'ApiKey realm="partner-metrics"' })
  expect(response.headers['x-api-key-expiration']).toBeUndefined()
  // Whether a key exists is not told.
  if (code === 'INVALID_API_KEY') expect(response.text).toBe((await world.get(META, { key: 'x' })).text)
})

test('a key reads its companies, ordered by id; all with a key for all, and none with a key without', async () => {
  const companies = [await world.make.company(), await world.make.company()]
  const read = async (as: string) => (await world.read(META, as)).companies.map(({ id }: { id: string }) => id)
  expect(await read(await world.make.key(companies))).toEqual(companies.map(({ id }) => id).sort())
  expect(await read(await world.make.key([]))).toEqual([])
  const all = await world.make.key([], { all_companies: true, scopes: ['internal:graphql:read'] })
  const rows = await world.rows('SELECT id FROM companies ORDER BY id')
  expect(await read(all)).toEqual(rows.map(({ id }) => id))
})

test('the day on which a key was used is recorded', async () => {
  const used = await world.make.key([])
  const read = async () =>
    (await world.rows('SELECT last_used_on FROM api_keys WHERE hash = sha256($1::bytea)', [used]))[0]?.last_used_on
  expect(await read()).toBeNull()
  await world.read(META, used)
  await world.gateway.keyUses.flush()
  expect(await read()).toBe(new Date(world.gateway.now()).toISOString().slice(0, 10))
})

test('in production, keys of production are valid and test keys are not', async () => {
  const database = { ...world.database, drop: async () => {} }
  const production = await World.open({ environment: 'production', database })
  const live = await production.make.key([])
  const { status, headers } = await production.get(META, { key: live })
  expect([status, headers['server-timing'], live.slice(0, 9)]).toEqual([200, undefined, 'msk_live_'])
  const { body } = await production.get(META, { key })
  expect(body.error).toMatchObject({ code: 'WRONG_ENVIRONMENT', details: { expected_prefix: 'msk_live_' } })
  await production.stop()
})

describe('a key that ends', () => {
  const scopes = ['partner:metrics:legacy:read', 'internal:graphql:read']

  const ending = async (days: number | null) => {
    const expires_at = days === null ? null : new Date(Math.floor(Date.now() / 1000) * 1000 + days * 86_400_000)
    const attributes = { label: 'Ends', scopes, expires_at, rate_requests: 6000, rate_seconds: 60 }
    const text = await world.make.key([await world.make.company()], attributes)
    return { key: text, end: expires_at?.toISOString().replace('.000', '') ?? null }
  }

  test.each([29, 31, null])('sees itself, and its end in a header within 30 days: %s', async days => {
    const { key: text, end } = await ending(days)
    const { headers, body } = await world.get(META, { key: text })
    expect(body.key).toEqual({ label: 'Ends', environment: 'dev', scopes, rate: '6000/min', expires_at: end })
    expect(headers['x-api-key-expiration']).toBe(days === 29 ? end : undefined)
  })

  test('has its end on every response, errors and the frozen interface included', async () => {
    const { key: text, end } = await ending(3)
    const { headers } = await world.get(META, { key: text })
    const range = 'from_date=2026-01-01&to_date=2026-01-02'
    const responses: [string, number, object?][] = [
      [META, 304, { headers: { 'if-none-match': headers.etag } }],
      ['/v1/partner/assets?limit=0', 400],
      [`/v1/partner/assets/unknown/impressions/daily?${range}`, 404],
      [`/v1/partner/impressions?${range}&output=csv`, 200],
      ['/v1/partner/assets', 406, { headers: { accept: 'image/png' } }],
      ['/v1/metrics/assets/1', 400],
      ['/graphql?query={meta{version}}', 200],
      [META, 429],
    ]
    for (const [path, status, options = {}] of responses) {
      if (status === 429) await change('rate_requests = 1', text)
      const response = await world.get(path, { key: text, ...options })
      expect([path, response.status, response.headers['x-api-key-expiration']]).toEqual([path, status, end])
    }
  })
})
