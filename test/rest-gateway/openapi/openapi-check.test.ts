import { assetId } from '../../../rest-gateway/routes/params'
import { checkResponse, type OpenApiDocument } from '../../support/openapi-check'
import { Service, send, type TestResponse } from '../../support/service'

describe('an answer is held against the document, which fails the test that met', () => {
  const path = `/v1/partner/assets/${assetId.example}`
  let service: Service
  let document: OpenApiDocument
  let good: TestResponse

  beforeAll(async () => {
    service = await Service.start()
    const { make } = service
    const company = await make.company()
    const asset = await make.asset({ company, id: assetId.example })
    await make.sensor({ asset })
    document = (await send(`${service.url}/openapi.json`)).body
    good = await send(service.url + path, { key: await make.key([company]) })
    checkResponse(document, 'GET', path, good)
  })
  afterAll(() => service.stop())

  const without = (name: string) => ({ ...good, headers: { ...good.headers, [name]: undefined } })
  const { body, headers } = { body: () => good.body, headers: () => good.headers }

  test.each<[string, () => Partial<TestResponse>, RegExp]>([
    ['a status that it does not know', () => ({ status: 206 }), /no such status/],
    [
      'a header that it does not know',
      () => ({ headers: { ...headers(), 'x-powered-by': 'us' } }),
      /no header x-powered/,
    ],
    ['an answer without a header that it requires', () => without('etag'), /ETag is missing/],
    ['an answer without its rate', () => without('ratelimit'), /RateLimit is missing/],
    ['a field that it does not know', () => ({ body: { ...body(), colour: 'red' } }), /additionalProperties.*colour/],
    ['an answer without a field', () => ({ body: { ...body(), city: undefined } }), /required.*city/],
    ['a field of another type', () => ({ body: { ...body(), name: null } }), /name.*must be string/],
    [
      'a word that it does not know',
      () => ({ body: { ...body(), status: 'gone' } }),
      /status.*must be equal to one of/,
    ],
    [
      'an error under another status',
      () => ({ status: 404, body: { error: { code: 'INTERNAL' } } }),
      /INTERNAL has the status 500/,
    ],
    ['an error that there is not', () => ({ status: 404, body: { error: { code: 'GONE' } } }), /no such error/],
  ])('%s', (_, wrong, told) => {
    const broken = { ...good, ...wrong() }
    // As it would have been read from the wire.
    const answer = { ...broken, body: JSON.parse(JSON.stringify(broken.body)) }
    expect(() => checkResponse(document, 'GET', path, answer)).toThrow(told)
  })
})
