import fc from 'fast-check'
import { makeKey } from '../../db/api-keys/key-format'
import { anyText, testProperty } from '../support/fuzz'
import { World } from '../support/world'

let world: World
let key: string
let cursor: string

beforeAll(async () => {
  world = await World.open()
  const company = await world.make.company()
  key = await world.make.key([company])
  const asset = await world.make.asset({ company })
  for (let i = 0; i < 2; i++) await world.make.sensor({ asset })
  cursor = (await world.read('/v1/partner/sensors?limit=1', key)).pagination.cursor
})
afterAll(() => world.stop())

testProperty(
  'cursor',
  'only issued cursors are valid',
  fc.oneof(
    fc.tuple(fc.nat({ max: 60 }), fc.constantFrom(...'AZaz09-_=+/.')).map(
      ([index, letter]) =>
        (text: string) =>
          text.slice(0, index) + letter + text.slice(index + 1),
    ),
    fc.nat({ max: 60 }).map(length => (text: string) => text.slice(0, length)),
    fc.uint8Array({ maxLength: 80 }).map(bytes => () => Buffer.from(bytes).toString('base64url')),
    anyText.map(text => () => text),
  ),
  async change => {
    const changed = change(cursor)
    const { status, body } = await world.get(
      `/v1/partner/sensors?limit=1&cursor=${encodeURIComponent(changed.toWellFormed())}`,
      { key },
    )
    if (changed === cursor) expect(status).toBe(200)
    else if (changed.includes('\0')) expect(body.error.code).toBe('BAD_REQUEST')
    else expect([status, body.error.code]).toEqual([400, 'INVALID_CURSOR'])
  },
)

testProperty(
  'API key',
  'only issued keys are valid',
  fc.oneof(
    fc.tuple(fc.nat({ max: 48 }), fc.constantFrom(...'AZaz09_')).map(
      ([index, letter]) =>
        (text: string) =>
          text.slice(0, index) + letter + text.slice(index + 1),
    ),
    fc.nat({ max: 48 }).map(length => (text: string) => text.slice(0, length)),
    fc.constant(() => makeKey('dev')),
    anyText.map(text => () => text.replace(/[^\x20-\x7e]/g, '').trim()),
  ),
  async change => {
    const changed = change(key)
    const { status } = await world.get('/v1/partner/meta', { key: changed })
    expect(status).toBe(changed === key ? 200 : 401)
  },
)
