import fc from 'fast-check'
import { RawJson } from '../../../resolvers/json/raw-json'
import { joinPieces } from '../../../rest-gateway/routes/join-pieces'
import { RawList, serialize } from '../../../rest-gateway/routes/serialize'

const json = fc.jsonValue()

const key = fc.oneof(fc.string(), fc.constantFrom('"', '\\', '\u2028', '\ud800', '🐘', '__proto__'))

const rawArray = (items: unknown[]) => RawJson.arrayOf(items.map(item => Buffer.from(`,${JSON.stringify(item)}`)))

const written = async (body: unknown): Promise<string> => String(await joinPieces(serialize(body)))

test('finished JSON in a body is copied in place of the list that it represents', () =>
  fc.assert(
    fc.asyncProperty(fc.array(json, { maxLength: 5 }), json, key, async (items, other, key) => {
      const body = { [key]: other, nested: { rows: rawArray(items), total: 1 }, data: rawArray(items), last: null }
      const expected = { [key]: other, nested: { rows: items, total: 1 }, data: items, last: null }
      expect(await written(body)).toBe(JSON.stringify(expected))
      const list = items.map(item => ({ item, rows: rawArray(items) }))
      expect(await written({ list: new RawList(list) })).toBe(
        JSON.stringify({ list: items.map(item => ({ item, rows: items })) }),
      )
    }),
  ))

test('a body without finished JSON is serialised like JSON.stringify', () =>
  fc.assert(fc.asyncProperty(json, async body => expect(await written(body)).toBe(JSON.stringify(body)))))
