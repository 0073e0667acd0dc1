import fc from 'fast-check'
import { RawJson } from '../../../resolvers/json/raw-json'
import { serialize } from '../../../rest-gateway/routes/serialize'

const json = fc.jsonValue()

const key = fc.oneof(fc.string(), fc.constantFrom('"', '\\', '\u2028', '\ud800', '🐘', '__proto__'))

const rawArray = (items: unknown[]) => RawJson.arrayOf(items.map(item => Buffer.from(`,${JSON.stringify(item)}`)))

test('finished JSON in a body is copied in place of the list that it represents', () => {
  fc.assert(
    fc.property(fc.array(json, { maxLength: 5 }), json, key, (items, other, key) => {
      const body = { [key]: other, nested: { rows: rawArray(items), total: 1 }, data: rawArray(items), last: null }
      const expected = { [key]: other, nested: { rows: items, total: 1 }, data: items, last: null }
      expect(String(serialize(body))).toBe(JSON.stringify(expected))
    }),
  )
})

test('a body without finished JSON is serialised like JSON.stringify', () => {
  fc.assert(fc.property(json, body => expect(serialize(body)).toBe(JSON.stringify(body))))
})
