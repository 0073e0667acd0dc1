import { createConfig, lintFromString } from '@redocly/openapi-core'
import { MAX_DAYS } from '../../../client/pull/tables'
import { GRAINS } from '../../../db/calendar/grains'
import { schema } from '../../../resolvers/schema'
import { openApi } from '../../../rest-gateway/openapi/openapi'
import { compileRoute } from '../../../rest-gateway/request'
import { partnerRoutes } from '../../../rest-gateway/routes/all-routes'
import { legacyRoutes } from '../../../rest-gateway/routes/legacy'
import type { Grain } from '../../../schema/generated'
import { type OpenApiDocument, publishedErrors, schemaErrors, withMoreFields } from '../../support/openapi-check'

const document = openApi(schema, [...partnerRoutes, ...legacyRoutes].map(compileRoute)) as OpenApiDocument

test('the client knows the longest ranges', () => {
  for (const [grain, days] of Object.entries(MAX_DAYS)) expect(GRAINS[grain as Grain].maxDays).toBe(days)
})

describe('the OpenAPI document', () => {
  /** Both paths are frozen, and OpenAPI resolves the ambiguity: a concrete path is matched before a templated one. */
  const AMBIGUOUS = /^no-ambiguous-paths.*\/v1\/metrics\/assets\/(legacy-ids|\{id\})/

  it('satisfies the recommended-strict rules of Redocly, and its examples their schemas', async () => {
    const rules = {
      'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: false },
      'no-invalid-parameter-examples': { severity: 'error', allowAdditionalProperties: false },
    } as const
    const config = await createConfig({ extends: ['recommended-strict'], rules })
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config })
    const messages = problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`)
    expect(messages.filter(message => !AMBIGUOUS.test(message))).toEqual([])
  })

  it('allows more fields in every response, each of which the tests of the service would find', () => {
    const bodies = Object.values(document.paths).flatMap(({ get }) => {
      const { schema, example } = get.responses[200]?.content?.['application/json'] ?? {}
      return schema ? { where: get.operationId, schema, value: withMoreFields(example) } : []
    })
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

  it('describes every operation, parameter, response, header, schema and field, and has examples', () => {
    const missing: string[] = []
    const walk = (node: unknown, path: string): void => {
      if (node === null || typeof node !== 'object') return
      for (const [name, child] of Object.entries(node)) {
        const below = `${path}/${name}`
        const { description, example, $ref } = (child ?? {}) as {
          description?: string
          example?: unknown
          $ref?: string
        }
        if (/\/(properties|responses|headers|schemas|securitySchemes)\/[^/]+$/.test(below) && !description && !$ref)
          missing.push(below)
        if (
          /\/(parameters|components\/headers)\/[^/]+$|\/200\/content\/application\/json$/.test(below) &&
          example === undefined
        )
          missing.push(`${below}: example`)
        if (!/\/(examples?|value)$/.test(below)) walk(child, below)
      }
    }
    walk(document, '')
    expect(missing).toEqual([])
  })
})
