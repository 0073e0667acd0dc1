import { type ExecutionResult, execute } from 'graphql'
import { keyHash } from '../../../db/api-keys/key-format'
import type { PresentedKey } from '../../../db/postgres/scoped-reader'
import { Context } from '../../../resolvers/context'
import { nestedRestSchema, restSchema } from '../../../resolvers/rest-schema'
import { schema } from '../../../resolvers/schema'
import { RequestInput } from '../../../rest-gateway/parameters/request-input'
import { joinPieces } from '../../../rest-gateway/routes/join-pieces'
import { legacyRoutes } from '../../../rest-gateway/routes/legacy'
import { partnerRoutes } from '../../../rest-gateway/routes/partner'
import type { Route, RouteRecord } from '../../../rest-gateway/routes/record'
import { compileRoute } from '../../../rest-gateway/routes/route'
import { serialize } from '../../../rest-gateway/routes/serialize'
import { readAs, Service, watchTraffic } from '../../support/service'

let service: Service
let key: string
let assets: string[]

beforeAll(async () => {
  service = await Service.start({ connections: 1 })
  assets = []
  await service.make.together(async make => {
    const company = await make.company()
    key = await make.key([company], { scopes: ['partner:metrics:legacy:read'] })
    for (let i = 0; i < 30; i++) {
      const asset = await make.asset({ company })
      const sensor = await make.sensor({ asset, grain: i === 0 ? 'minute' : 'quarter_hour' })
      for (let day = 1; day <= 5; day++) await make.counts(sensor, `2026-01-0${day}`, interval => interval % 7)
      await make.origin(asset, '2026-01-01', ['DE', 'DE-BE', 'Berlin'], 100)
      await make.demographics(asset, '2026-01-01', { '25-34 male': 70 })
      assets.push(asset.id)
    }
  })
})
afterAll(() => service.stop())

/** The statements of routes that have not two: authentication and query. The methodology is the same text for all. */
const STATEMENTS: Record<string, number> = {
  ListAssets: 3,
  ListSensors: 3,
  ListChanges: 3,
  ListImpressions: 5,
  ReadAggregateImpressions: 5,
  ReadMethodology: 1,
}

/** A page takes two round trips: its assets are known after the first. */
const ROUND_TRIPS: Record<string, number> = { ListImpressions: 2 }

/** The route with columns that depend on its parameters. */
const AGGREGATE = 'ReadAggregateImpressions'

const pathOf = (route: RouteRecord, days: number, limit: number): string => {
  const query = new URLSearchParams()
  for (const { name, in: location } of route.parameters) {
    if (location === 'path') continue
    if (name === 'from_date') query.set(name, '2026-01-01')
    if (name === 'to_date') query.set(name, `2026-01-0${days}`)
    if (name === 'grain')
      query.set(name, ['ReadAggregateImpressions', 'ListImpressions'].includes(route.operation) ? 'day' : 'minute')
    if (name === 'start' || name === 'date') query.set(name, '2026-01-01')
    if (name === 'end') query.set(name, `2026-01-0${days}`)
    if (name === 'limit') query.set(name, String(limit))
    if (name === 'asset_ids') query.set(name, assets.slice(0, limit).join())
  }
  return `${route.path.replace('{id}', assets[0] as string)}?${query}`
}

describe.each(partnerRoutes)('$operation', route => {
  test('takes the same few round trips and statements, whatever the number of rows', async () => {
    for (const [days, limit] of [
      [1, 1],
      [5, 30],
    ] as const) {
      const path = pathOf(route, days, limit)
      await service.read(path, key)
      const { statements, roundTrips } = await watchTraffic(() => service.read(path, key))
      expect(statements[0]).toBe('authenticate-key')
      expect(statements).toHaveLength(STATEMENTS[route.operation] ?? 2)
      expect(roundTrips).toBe(ROUND_TRIPS[route.operation] ?? 1)
    }
  })

  test('reads only the key if a parameter is invalid', async () => {
    const path = `${route.path.replace('{id}', assets[0] as string)}?from_date=x&limit=0`
    if (route.parameters.every(({ name }) => name !== 'from_date' && name !== 'limit')) return
    const { statements, roundTrips } = await watchTraffic(() => service.get(path, { key }))
    expect(statements).toEqual(['authenticate-key'])
    expect(roundTrips).toBe(1)
  })
})

describe.each([...partnerRoutes, ...legacyRoutes])('the persisted query of $operation', record => {
  const route = compileRoute(record)

  test('has the same result compiled and executed by graphql-js', async () => {
    const compiled = await run(context => route.execute(context, variablesOf(route)))
    const executed = await run(contextValue =>
      execute({
        schema: record.envelope.nested ? nestedRestSchema : restSchema,
        document: route.executed,
        contextValue,
        variableValues: variablesOf(route),
      }),
    )
    expect(executed).not.toHaveProperty('errors')
    const text = async (result: ExecutionResult) =>
      withoutPosition(String(await joinPieces(serialize(bodyOf(route, result)))))
    expect(await text(compiled)).toBe(await text(executed))
  })

  test('has the response that graphql-js produces on the public schema', async () => {
    const { data, errors } = await run(contextValue =>
      execute({ schema, document: route.document, contextValue, variableValues: variablesOf(route) }),
    )
    expect(errors).toBeUndefined()
    const { text } = await service.get(pathOf(record, 5, 30), { key })
    const input = new RequestInput(
      route,
      service.gateway.cursors,
      { id: assets[0] as string },
      pathOf(record, 5, 30).split('?')[1] ?? '',
    )
    const shaped = route.envelope.shape(data as Record<string, unknown>, input, { reseller: false } as PresentedKey)
    const expected = record.operation === AGGREGATE ? withoutOtherColumns(shaped) : shaped
    expect(withoutPosition(text)).toBe(withoutPosition([...serialize(expected)].join('')))
  })
})

/** A position in the feed depends on the time. */
const withoutPosition = (text: string): string => text.replace(/"(cursor|next)":"(?:[^"\\]|\\.)*"/g, '"$1":""')

/** Returns the data of a query; of nested lists, whose rows are written with the envelope, the body. */
function bodyOf(route: Route, { data }: ExecutionResult): unknown {
  const input = new RequestInput(route, service.gateway.cursors, { id: assets[0] as string }, '')
  return route.envelope.nested ? route.envelope.shape(data as never, input, { reseller: false } as PresentedKey) : data
}

/** The columns of attributes by which rows are not grouped are null in GraphQL, and missing in REST. */
function withoutOtherColumns(body: unknown): object {
  const { data, ...others } = body as { data: object[] }
  const columns = (row: object) =>
    Object.entries(row).filter(([name, value]) => value !== null || name === 'impressions')
  return { data: data.map(row => Object.fromEntries(columns(row))), ...others }
}

/** Returns the variables of a request for five days or 30 rows. */
function variablesOf(route: Route): Record<string, unknown> {
  const query = pathOf(route, 5, 30).split('?')[1] ?? ''
  return new RequestInput(route, service.gateway.cursors, { id: assets[0] as string }, query).variables
}

async function run(
  execution: (context: Context) => Promise<ExecutionResult> | ExecutionResult,
): Promise<ExecutionResult> {
  return readAs(service.gateway, keyHash(key), reader => execution(new Context(reader, service.gateway.now())))
}

test('a resolver may read again after an awaited read', async () => {
  const rows = await readAs(service.gateway, keyHash(key), async reader => {
    await reader.read({ name: 'first', text: 'SELECT 1' })
    return reader.read({ name: 'second', text: 'SELECT 2 AS two' })
  })
  expect(rows).toEqual([{ two: 2 }])
})

test('a key is valid for its own transaction only: on the same connection, another key sees none of its rows', async () => {
  await service.read('/v1/partner/meta', key)
  const everything = { name: 'everything', text: 'SELECT id FROM assets' }
  const count = async (hash: Buffer) => (await readAs(service.gateway, hash, reader => reader.read(everything))).length
  expect(await count(keyHash(key))).toBe(30)
  expect(await count(Buffer.alloc(32))).toBe(0)
})
