/** A request is authenticated by its own header alone, whatever else the connection carries. */
import { sendRaw } from '../support/http'
import { namesOf, startWithTenants, TENANTS, type TenantService } from './tenants'

let tenants: TenantService
let alder: string
let birch: string

beforeAll(async () => {
  tenants = await startWithTenants(TENANTS, [['Alder'], ['Birch']])
  alder = tenants.keys.get('Alder') as string
  birch = tenants.keys.get('Birch') as string
})
afterAll(() => tenants.service.stop())

const META = '/v1/partner/meta'

/** Fewer than one caller may have in progress. */
const REQUESTS = 12

/** Sends bytes on one connection. Returns the bodies of all responses in order. */
async function raw(text: string): Promise<string[]> {
  const received = await sendRaw(tenants.service.url, text, false)
  const parts = received.split(/HTTP\/1\.1 (?=\d{3} )/).slice(1)
  return parts.map(part => part.slice(part.indexOf('\r\n\r\n') + 4))
}

test('pipelined requests with several keys each get the response for their own key', async () => {
  const keys = Array.from({ length: REQUESTS }, (_, i) => [alder, birch, undefined][i % 3])
  const requests = keys.map((key, i) => {
    const last = i === keys.length - 1 ? 'Connection: close\r\n' : ''
    return `GET ${META} HTTP/1.1\r\nHost: x\r\n${key ? `X-API-Key: ${key}\r\n` : ''}${last}\r\n`
  })
  const bodies = await raw(requests.join(''))
  expect(bodies).toHaveLength(REQUESTS)
  bodies.forEach((body, i) => {
    const parsed = JSON.parse(body)
    if (i % 3 === 2) expect(parsed.error.code).toBe('MISSING_API_KEY')
    else
      expect(parsed.companies).toEqual([
        { id: namesOf(i % 3 === 0 ? 'Alder' : 'Birch').company, name: expect.any(String), final_through: '2025-12-31' },
      ])
  })
})

test.each([
  ['twice', (a: string, b: string) => `X-API-Key: ${a}\r\nX-API-Key: ${b}\r\n`],
  ['in two spellings', (a: string, b: string) => `X-API-Key: ${a}\r\nx-api-key: ${b}\r\n`],
  ['as a list', (a: string, b: string) => `X-API-Key: ${a}, ${b}\r\n`],
  ['with a suffix', (a: string, b: string) => `X-API-Key: ${a};${b}\r\n`],
  ['empty, then valid', (_: string, b: string) => `X-API-Key:\r\nX-API-Key: ${b}\r\n`],
])('a key that is sent %s is invalid', async (_, headers) => {
  for (const text of [headers(alder, birch), headers(alder, alder)]) {
    const [body] = await raw(`GET ${META} HTTP/1.1\r\nHost: x\r\n${text}Connection: close\r\n\r\n`)
    expect(JSON.parse(body as string).error.code).toBe('INVALID_API_KEY')
  }
})

test.each([
  ['a length and chunks', 'Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG'],
  ['two lengths', 'Content-Length: 0\r\nContent-Length: 6\r\n\r\nGET / '],
  ['a folded header', 'X-A: b\r\n X-API-Key: KEY\r\n\r\n'],
  ['a space before the colon', 'X-API-Key : KEY\r\n\r\n'],
  ['a bare carriage return', 'X-A: b\rX-API-Key: KEY\r\n\r\n'],
  ['a bare line feed', 'X-A: b\nX-API-Key: KEY\r\n\r\n'],
  ['a NUL', 'X-A: \0b\r\nX-API-Key: KEY\r\n\r\n'],
])('a request with %s hides neither another request nor a key', async (_, end) => {
  const bodies = await raw(`POST ${META} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${end.replace('KEY', alder)}`)
  expect(bodies.length).toBeLessThanOrEqual(1)
  for (const body of bodies) expect(body).not.toContain(namesOf('Alder').company)
})
