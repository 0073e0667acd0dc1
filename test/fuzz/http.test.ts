/** Sends all kinds of addresses and cursors: none causes an error of the server, or a response that is not documented. */
import fc from 'fast-check'
import { partnerRoutes } from '../../rest-gateway/routes/all-routes'
import { legacyRoutes } from '../../rest-gateway/routes/legacy'
import { anyText, testProperty } from '../support/fuzz'
import { World } from '../support/world'

let world: World
let key: string
let asset: string
let foreign: string
let cursor: string

beforeAll(async () => {
  world = await World.open()
  const company = await world.make.company()
  key = await world.make.key([company], { scopes: ['partner:metrics:legacy:read'] })
  const own = await world.make.asset({ company, legacy_id: 101 })
  const sensor = await world.make.sensor({ asset: own })
  await world.make.sensor({ asset: own })
  await world.make.counts(sensor, '2026-01-01', interval => interval % 9)
  asset = own.id
  foreign = (await world.make.asset()).id
  cursor = (await world.read('/v1/partner/sensors?limit=1', key)).pagination.cursor
})
afterAll(() => world.stop())

const orAnyText = (...usual: string[]) => fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...usual) }, anyText)

const date = orAnyText('2026-01-01', '2026-01-02', '2025-12-31', '2026-03-29', '2020-02-29', '0001-01-01', '9999-12-31')

const id = orAnyText('ASSET', 'FOREIGN', '101', '0', '2147483648')

const parameter = fc.oneof(
  fc.tuple(fc.constantFrom('from_date', 'to_date', 'start', 'end', 'date'), date),
  fc.tuple(fc.constant('grain'), orAnyText('minute', 'quarter_hour', 'hour', 'day', 'week', 'month', 'quarter')),
  fc.tuple(fc.constant('limit'), orAnyText('-5', '0', '1', '500', '501')),
  fc.tuple(fc.constant('cursor'), orAnyText('CURSOR')),
  fc.tuple(fc.constantFrom('asset_id', 'asset_ids'), id),
  fc.tuple(anyText, anyText),
)

/** Percent-encodes a text, or with `raw` only drops what a URL cannot contain. */
const encoded = (text: string, raw: boolean): string =>
  raw ? text.replace(/[^\x21-\x7e]/g, '') : encodeURIComponent(text.toWellFormed())

const paths = [...partnerRoutes, ...legacyRoutes].map(({ path }) => path)

const address = fc
  .record({
    path: orAnyText(...paths),
    id,
    parameters: fc.array(parameter, { maxLength: 6 }),
    range: fc.option(fc.tuple(date, date)),
    raw: fc.boolean(),
  })
  .map(({ path, id, parameters, range, raw }) => {
    const bounds = range ? range.map((value, i) => [i === 0 ? 'from_date' : 'to_date', value]) : []
    const query = [...bounds, ...parameters].map(([name, value]) => `${encoded(name!, raw)}=${encoded(value!, raw)}`)
    const known = paths.includes(path) ? path.replace('{id}', encoded(id, raw)) : `/${encoded(path, false)}`
    return `${known}?${query.join('&')}`
  })

testProperty('address', 'no address causes a server error', address, async address => {
  const sent = address.replaceAll('ASSET', asset).replaceAll('FOREIGN', foreign).replaceAll('CURSOR', cursor)
  // URL() normalises the address as clients do.
  const { pathname, search } = new URL(world.url + sent.replaceAll('#', '%23'))
  expect((await world.get(pathname + search, { key })).status).toBeLessThan(500)
})
