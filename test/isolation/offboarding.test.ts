/** Deleting a company changes no response, not even an entity tag, that keys of other companies get. */
import { runDeletion } from '../../db/operations/run-deletion'
import { send } from '../support/http'
import { generatePaths, ROUTES } from './requests'
import { namesOf, startWithTenants, TENANTS, type Tenant, type TenantService, withoutPosition } from './tenants'

jest.setTimeout(120_000)

let tenants: TenantService

beforeAll(async () => {
  tenants = await startWithTenants(TENANTS, [['Alder'], ['Birch'], ['Cedar'], ['Alder', 'Birch']])
})
afterAll(() => tenants.service.stop())

/** Headers that differ between equal responses. */
const VARYING = /^(x-request-id|date|ratelimit|server-timing)$/

/** Returns the responses of all routes to the key of a company, for its own data and for that of the deleted company. */
async function fetchResponses(tenant: Tenant) {
  const responses = new Map<string, unknown>()
  for (const path of ROUTES.flatMap(route => generatePaths(route, [namesOf('Alder'), namesOf(tenant)]))) {
    const { status, headers, text } = await send(tenants.service.url + path, {
      key: tenants.keys.get(tenant) as string,
    })
    const compared = Object.entries(headers).filter(
      ([name]) => !VARYING.test(name) && !(name === 'etag' && path.includes('/changes')),
    )
    responses.set(path, {
      status,
      text: withoutPosition(text),
      headers: compared.map(([name, value]) => [name, withoutPosition(String(value))]),
    })
  }
  return responses
}

test('offboarding a company leaves all responses of other keys as they were', async () => {
  const { service: world, keys } = tenants
  const before = { birch: await fetchResponses('Birch'), cedar: await fetchResponses('Cedar') }
  const { company, assets } = namesOf('Alder')
  const { deleted } = await runDeletion(world.owner, {
    request: { kind: 'companies', ids: [company] },
    operation: { command: 'delete companies' },
  })
  expect(deleted).toMatchObject({ companies: 1, assets: 2, sensors: 4, installations: 5 })
  expect(await fetchResponses('Birch')).toEqual(before.birch)
  expect(await fetchResponses('Cedar')).toEqual(before.cedar)
  const read = (path: string, key: string) => send(world.url + path, { key: keys.get(key) as string })
  expect((await read('/v1/partner/meta', 'Alder')).status).toBe(401)
  const meta = await read('/v1/partner/meta', 'Alder+Birch')
  expect(JSON.parse(meta.text).companies).toMatchObject([{ id: namesOf('Birch').company }])
  expect((await read(`/v1/partner/assets/${assets[0]}`, 'Alder+Birch')).status).toBe(404)
})
