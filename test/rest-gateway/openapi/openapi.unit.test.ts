import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MAX_DAYS } from '../../../client/pull/tables'
import { GRAINS } from '../../../db/calendar/grains'
import { schema } from '../../../resolvers/schema'
import { openApi } from '../../../rest-gateway/openapi/openapi'
import { compileRoute } from '../../../rest-gateway/request'
import { partnerRoutes } from '../../../rest-gateway/routes/all-routes'
import { legacyRoutes } from '../../../rest-gateway/routes/legacy'
import type { Grain } from '../../../schema/generated'
import {
  findExamples,
  type OpenApiDocument,
  publishedErrors,
  schemaErrors,
  withMoreFields,
} from '../../support/openapi-check'

const document = openApi(schema, [...partnerRoutes, ...legacyRoutes].map(compileRoute)) as OpenApiDocument

const COMMITTED = join(__dirname, '..', '..', '..', 'rest-gateway', 'openapi', 'openapi.json')

test('openapi.json is the document that the service serves (npm run generate)', () => {
  expect(JSON.parse(readFileSync(COMMITTED, 'utf8'))).toEqual(document)
})

test('the client knows the longest ranges', () => {
  for (const [grain, days] of Object.entries(MAX_DAYS)) expect(GRAINS[grain as Grain].maxDays).toBe(days)
})

const recordOf = (operation: string) => partnerRoutes.find(route => route.operation === operation)!

test.each([
  ['selects a field that does not exist', { ...recordOf('ReadMeta'), query: 'query ReadMeta { meta { colour } }' }],
  ['has another operation name', { ...recordOf('ReadMeta'), query: 'query Other { meta { version } }' }],
  ['has a variable without a parameter', { ...recordOf('ReadAsset'), parameters: [] }],
])('a record does not compile if its query %s', (_, record) => {
  expect(() => compileRoute(recordOf(record.operation))).not.toThrow()
  expect(() => compileRoute(record)).toThrow()
})

describe('the OpenAPI document', () => {
  it('has an example of every parameter, response and header, and each is valid against its schema', () => {
    const examples = findExamples(document)
    expect(examples.filter(({ values }) => values.length === 0).map(({ where }) => where)).toEqual([])
    const invalid = examples.flatMap(({ where, schema, values }) =>
      values.flatMap(value => schemaErrors(document, schema, value).map(error => `${where}: ${error}`)),
    )
    expect(invalid).toEqual([])
  })

  it('allows more fields in every response, each of which the tests of the service would find', () => {
    const bodies = findExamples(document).flatMap(({ where, schema, values }) =>
      values.filter(value => typeof value === 'object').map(value => ({ where, schema, value: withMoreFields(value) })),
    )
    expect(bodies.length).toBeGreaterThan(20)
    // The legacy interface is frozen, and has maps and lists of numbers, in which a field is another entry.
    const error = { error: { code: 'NOT_FOUND', message: '', details: {} } }
    const { schema: errorSchema } = document.components.responses.Error404!.content!['application/json']!
    expect(schemaErrors(document, errorSchema, error)).toEqual([])
    const additive = [
      ...bodies.filter(({ where }) => !where.startsWith('Legacy')),
      { where: 'errors', schema: errorSchema, value: withMoreFields(error) },
    ]
    expect(additive.flatMap(({ schema, value }) => publishedErrors(document, schema, value))).toEqual([])
    expect(additive.filter(({ schema, value }) => schemaErrors(document, schema, value).length === 0)).toEqual([])
  })

  it('describes every operation, parameter, response, header, schema and field', () => {
    const undescribed: string[] = []
    const walk = (node: unknown, path: string): void => {
      if (node === null || typeof node !== 'object') return
      for (const [name, child] of Object.entries(node)) {
        const below = `${path}/${name}`
        if (/\/(properties|responses|headers|schemas|securitySchemes)\/[^/]+$/.test(below)) {
          const { description, $ref } = child as { description?: string; $ref?: string }
          if (!description && !$ref) undescribed.push(below)
        }
        if (!/\/(examples?|value)$/.test(below)) walk(child, below)
      }
    }
    walk(document, '')
    expect(undescribed).toEqual([])
  })
})
