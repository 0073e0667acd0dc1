import { assetId } from '../../../rest-gateway/read/params'
import { send, type TestResponse } from '../../support/http'
import { checkResponse, type OpenApiDocument } from '../../support/openapi-check'
import { World } from '../../support/world'

describe('a test fails on a response that the OpenAPI document does not describe:', () => {
  const path = `/v1/partner/assets/${assetId.example}`
  let world: World
  let document: OpenApiDocument
  let valid: TestResponse

  beforeAll(async () => {
    world = await World.open()
    const { make } = world
    const company = await make.company()
    const asset = await make.asset({ company, id: assetId.example })
    await make.sensor({ asset })
    document = (await send(`${world.url}/openapi.json`)).body
    valid = await send(world.url + path, { key: await make.key([company]) })
    checkResponse(document, 'GET', path, valid)
  })
  afterAll(() => world.stop())

  const without = (name: string) => ({ ...valid, headers: { ...valid.headers, [name]: undefined } })
  const { body, headers } = { body: () => valid.body, headers: () => valid.headers }

  test.each<[string, () => Partial<TestResponse>, RegExp]>([
    ['an unknown status', () => ({ status: 206 }), /no such status/],
    ['an unknown header', () => ({ headers: { ...headers(), 'x-powered-by': 'us' } }), /no header x-powered/],
    ['a missing header', () => without('etag'), /ETag is missing/],
    ['missing rate limit headers', () => without('ratelimit'), /RateLimit is missing/],
    ['an unknown field', () => ({ body: { ...body(), colour: 'red' } }), /additionalProperties.*colour/],
    ['a missing field', () => ({ body: { ...body(), city: undefined } }), /required.*city/],
    ['a field of the wrong type', () => ({ body: { ...body(), name: null } }), /name.*must be string/],
    ['an unknown enum value', () => ({ body: { ...body(), status: 'gone' } }), /status.*must be equal to one of/],
    [
      'an error with the wrong status',
      () => ({ status: 404, body: { error: { code: 'INTERNAL' } } }),
      /INTERNAL has the status 500/,
    ],
    ['an unknown error code', () => ({ status: 404, body: { error: { code: 'GONE' } } }), /no such error/],
  ])('%s', (_, change, message) => {
    const invalid = { ...valid, ...change() }
    // As parsed from the wire: fields set to undefined are absent.
    const response = { ...invalid, body: JSON.parse(JSON.stringify(invalid.body)) }
    expect(() => checkResponse(document, 'GET', path, response)).toThrow(message)
  })
})
