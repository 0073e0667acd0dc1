import { execute, parse } from 'graphql'
import { Context } from '../../../resolvers/context'
import { schema } from '../../../resolvers/schema'
import { partnerRoutes } from '../../../rest-gateway/routes/partner'
import { readAs, World } from '../../support/world'

const CHECKED = Date.parse('2026-01-01T00:00:00Z')
const MINUTE = 60_000

let now = CHECKED
let world: World
let key: string
let hash: Buffer

beforeAll(async () => {
  world = await World.open({ now: () => now })
  const company = await world.make.company()
  key = await world.make.key([company])
  hash = (await world.owner.query('SELECT hash FROM api_keys')).rows[0].hash
  for (const name of ['Zoo', 'Über „allem“ \u2028 🐘', '"\\{}', 'null', 'a'.repeat(500)]) {
    const asset = await world.make.asset({ company, name, description: `${name}\n` })
    for (const status of ['healthy', 'offline', null]) {
      const { id } = await world.make.sensor({ asset })
      if (status === null) continue
      const health = [id, status, new Date(CHECKED), name]
      await world.owner.query(
        'UPDATE sensors SET health_status = $2, health_checked_at = $3, health_reason = $4 WHERE id = $1',
        health,
      )
    }
  }
  await world.make.asset({ company })
})
afterAll(() => world.stop())

/** Returns the rows of a list, by graphql-js on the public schema. */
async function readRows(operation: string, limit: number): Promise<unknown> {
  const query = partnerRoutes.find(route => route.operation === operation)?.query as string
  const { data, errors } = await readAs(world.gateway, hash, reader =>
    execute({
      schema,
      document: parse(query),
      contextValue: new Context(reader, now),
      variableValues: { limit, cursor: null, asset_id: null },
    }),
  )
  expect(errors).toBeUndefined()
  return (data as Record<string, { data: unknown }>)[operation === 'ListAssets' ? 'assets' : 'sensors']?.data
}

describe.each([
  ['ListAssets', 'assets'],
  ['ListSensors', 'sensors'],
])('a page of %s', (operation, path) => {
  const fetchText = async (limit: number) => (await world.get(`/v1/partner/${path}?limit=${limit}`, { key })).text

  const expectRows = async (limit: number) =>
    expect(await fetchText(limit)).toMatch(JSON.stringify({ data: await readRows(operation, limit) }).slice(0, -1))

  test('has the bytes that graphql-js returns, whether its rows are cached or not', async () => {
    for (const limit of [2, 500, 2, 1]) await expectRows(limit)
  })

  test('has the health of sensors at the time of the request', async () => {
    for (const minutes of [0, 30, 30.01, 60, 60.01, 1_000, 31, 0]) {
      now = CHECKED + minutes * MINUTE
      await expectRows(500)
    }
  })

  test('shows changes of cached rows at once', async () => {
    await fetchText(500)
    await world.owner.query(`UPDATE assets SET name = 'Zebra', facing_degrees = 7 WHERE name = 'Zoo'`)
    await world.owner.query(`UPDATE sensors SET health_reason = 'wet' WHERE health_reason = 'Zoo'`)
    await expectRows(500)
    await world.owner.query(`UPDATE assets SET name = 'Zoo' WHERE name = 'Zebra'`)
    await expectRows(500)
  })

  test('is empty for a key without assets', async () => {
    const empty = await world.make.key([await world.make.company()])
    expect(await world.read(`/v1/partner/${path}?limit=3`, empty)).toEqual({
      data: [],
      pagination: { cursor: null, has_more: false, limit: 3 },
    })
  })
})
