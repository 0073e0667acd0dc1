import { createHook } from 'node:async_hooks'
import { execute } from 'graphql'
import { Context } from '../../../resolvers/context'
import { schema } from '../../../resolvers/schema'
import { partnerRoutes } from '../../../rest-gateway/routes/partner'
import { compileRoute } from '../../../rest-gateway/routes/route'
import { Service, watchTraffic } from '../../support/service'

let service: Service
let key: string
let assets: string[]

beforeAll(async () => {
  service = await Service.start({ connections: 1 })
  const company = await service.make.company()
  key = await service.make.key([company])
  assets = []
  for (let i = 0; i < 30; i++) {
    const asset = await service.make.asset({ company })
    const sensor = await service.make.sensor({ asset, grain: i === 0 ? 'minute' : 'quarter_hour' })
    for (let day = 1; day <= 5; day++) await service.make.counts(sensor, `2026-01-0${day}`, interval => interval % 7)
    await service.make.origin(asset, '2026-01-01', ['DE', 'DE-BE', 'Berlin'], 100)
    await service.make.demographics(asset, '2026-01-01', { '25-34 male': 70 })
    assets.push(asset.id)
  }
})
afterAll(() => service.stop())

const pathOf = (route: (typeof partnerRoutes)[number], days: number, limit: number): string => {
  const query = new URLSearchParams()
  for (const { name, in: place } of route.parameters) {
    if (place === 'path') continue
    if (name === 'from_date') query.set(name, '2026-01-01')
    if (name === 'to_date') query.set(name, `2026-01-0${days}`)
    if (name === 'grain') query.set(name, 'minute')
    if (name === 'limit') query.set(name, String(limit))
    if (name === 'asset_ids') query.set(name, assets.slice(0, limit).join())
  }
  return `${route.path.replace('{id}', assets[0] as string)}?${query}`
}

describe.each(partnerRoutes)('$operation', route => {
  test('reads with the key’s look-up and one statement, in one flight, however many rows it answers', async () => {
    for (const [days, limit] of [
      [1, 1],
      [5, 30],
    ] as const) {
      const path = pathOf(route, days, limit)
      await service.read(path, key)
      const { statements, flights } = await watchTraffic(() => service.read(path, key))
      expect(statements).toEqual(['present-key', expect.any(String)])
      expect(flights).toBe(1)
    }
  })

  test('makes no promise for a row', async () => {
    const promises = async (path: string): Promise<number> => {
      await service.read(path, key)
      let count = 0
      const hook = createHook({
        init(_, type) {
          if (type === 'PROMISE') count++
        },
      }).enable()
      await service.get(path, { key })
      hook.disable()
      return count
    }
    const few = await promises(pathOf(route, 1, 1))
    expect(few).toBeGreaterThan(0)
    expect(await promises(pathOf(route, 5, 30))).toBeLessThan(few + 10)
  })

  test('asks for nothing but the key where a parameter is wrong', async () => {
    const path = `${route.path.replace('{id}', assets[0] as string)}?from_date=x&limit=0`
    if (route.parameters.every(({ name }) => name !== 'from_date' && name !== 'limit')) return
    const { statements, flights } = await watchTraffic(() => service.get(path, { key }))
    expect(statements).toEqual(['present-key'])
    expect(flights).toBe(1)
  })

  test('answers from its compiled query what graphql-js answers', async () => {
    const compiled = compileRoute(schema, route)
    const variables: Record<string, unknown> = {}
    const query = new URL(`http://x${pathOf(route, 5, 30)}`).searchParams
    for (const { name, parse } of route.parameters) {
      const text = name === 'id' ? assets[0] : (query.get(name) ?? undefined)
      variables[name] = parse(text, { cursors: service.gateway.cursors, list: '' })
    }
    const { rows } = await service.owner.query("SELECT hash FROM api_keys WHERE scopes = '{}' LIMIT 1")
    const answer = async (run: (context: Context) => unknown) =>
      (await service.gateway.database.present(rows[0].hash, door => run(new Context(door, 0)))).result
    const ours = await answer(contextValue => compiled.execute(contextValue, variables))
    const theirs = await answer(contextValue =>
      execute({ schema, document: compiled.document, contextValue, variableValues: variables }),
    )
    expect(theirs).not.toHaveProperty('errors')
    expect(JSON.stringify(ours)).toBe(JSON.stringify(theirs))
  })
})

test('a door that has closed refuses what is asked for later', async () => {
  const { rows } = await service.owner.query('SELECT hash FROM api_keys LIMIT 1')
  const { result } = await service.gateway.database.present(rows[0].hash, async door => {
    await door.read({ name: 'first', text: 'SELECT 1' })
    return door.read({ name: 'second', text: 'SELECT 1' })
  })
  await expect(result).rejects.toThrow('after the door had closed')
})

test('no connection remembers a key, and without one nothing is there', async () => {
  await service.read('/v1/partner/meta', key)
  const { rows } = await service.owner.query('SELECT hash FROM api_keys LIMIT 1')
  const nobody = Buffer.alloc(32)
  const everything = { name: 'everything', text: 'SELECT id FROM assets' }
  const count = async (hash: Buffer) =>
    (await (await service.gateway.database.present(hash, door => door.read(everything))).result).length
  expect(await count(rows[0].hash)).toBe(30)
  expect(await count(nobody)).toBe(0)
})

describe('at boot', () => {
  const [meta] = partnerRoutes as [(typeof partnerRoutes)[number]]
  const assetRoute = partnerRoutes.find(({ operation }) => operation === 'ReadAsset') as typeof meta

  test.each([
    [
      'asks for a field that is not there',
      { ...meta, query: 'query ReadMeta { meta { colour } }' },
      'Cannot query field',
    ],
    ['has another operation name', { ...meta, query: 'query Other { meta { version } }' }, 'another operation name'],
    ['has a variable that is no parameter', { ...assetRoute, parameters: [] }, 'are not its parameters'],
  ])('a record whose query %s stops the start', (_, record, message) => {
    expect(() => compileRoute(schema, record)).toThrow(message)
  })
})
