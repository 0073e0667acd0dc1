import type { PresentedKey } from '../../../db/postgres/scoped-reader'
import { Cursors } from '../../../rest-gateway/read/cursors'
import type { Envelope, JsonSchema } from '../../../rest-gateway/record'
import { at, preceded } from '../../../rest-gateway/shape/envelopes'

const cursors = new Cursors(Buffer.alloc(32), 'dev')

const shape = (envelope: Envelope, data: Record<string, unknown>) =>
  envelope.shape(data, { cursors, list: 'list', variables: { limit: 2 } }, {} as PresentedKey)

const NOT_FOUND = expect.objectContaining({ code: 'NOT_FOUND' })

const object = (properties: Record<string, JsonSchema>): JsonSchema => ({ type: 'object', properties })
const nullable = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] })
const NUMBER = { type: 'number' }
const TEXT = { type: 'string' }

describe('at', () => {
  test('takes the value at a path', () => {
    expect(shape(at('asset', 'impressions'), { asset: { impressions: { total: 1 } } })).toEqual({ total: 1 })
  })

  test('responds with 404 where the path has a null', () => {
    expect(() => shape(at('asset', 'impressions'), { asset: null })).toThrow(NOT_FOUND)
    expect(() => shape(at('asset', 'impressions'), { asset: { impressions: null } })).toThrow(NOT_FOUND)
  })

  test('has the schema at the same path, without null', () => {
    const schema = object({ asset: nullable(object({ impressions: nullable(NUMBER) })) })
    expect(at('asset', 'impressions').schema(schema)).toEqual(NUMBER)
  })

  test('has no schema for a field that is not selected', () => {
    expect(() => at('asset').schema(object({}))).toThrow('does not select')
  })
})

describe('preceded', () => {
  const envelope = preceded('x', ['a', 'x'], 'b')

  test('puts a value before the fields of an object', () => {
    expect(Object.entries(shape(envelope, { a: { x: 1 }, b: { y: 2 } }) as object)).toEqual([
      ['x', 1],
      ['y', 2],
    ])
    for (const data of [
      { a: { x: 1 }, b: null },
      { a: { x: null }, b: { y: 2 } },
      { a: null, b: { y: 2 } },
    ])
      expect(() => shape(envelope, data)).toThrow(NOT_FOUND)
  })

  test('has the properties of both, which are never null', () => {
    const schema = envelope.schema(
      object({ a: nullable(object({ x: nullable(NUMBER) })), b: nullable(object({ y: TEXT })) }),
    )
    expect(schema).toEqual({
      type: 'object',
      properties: { x: NUMBER, y: TEXT },
      required: ['x', 'y'],
    })
  })
})
