import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Spectral } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'
import { schema } from '../../../resolvers/schema'
import { openApi } from '../../../rest-gateway/openapi/openapi'
import { legacyRoutes } from '../../../rest-gateway/routes/legacy'
import { partnerRoutes } from '../../../rest-gateway/routes/partner'
import { compileRoute } from '../../../rest-gateway/routes/route'
import { examplesOf, type OpenApiDocument, schemaErrors } from '../../support/openapi-check'

const document = openApi(schema, [...partnerRoutes, ...legacyRoutes].map(compileRoute)) as OpenApiDocument

const COMMITTED = join(__dirname, '..', '..', '..', 'rest-gateway', 'openapi', 'openapi.json')

test('openapi.json is the document that the service serves (npm run generate)', () => {
  expect(JSON.parse(readFileSync(COMMITTED, 'utf8'))).toEqual(document)
})

describe('the OpenAPI document', () => {
  /**
   * The legacy interface is frozen with both paths, and OpenAPI itself resolves them: a concrete path is matched before a
   * templated one.
   */
  const FROZEN = ['/v1/metrics/assets/legacy-ids', '/v1/metrics/assets/{id}']

  it('satisfies all recommended rules of Redocly, in their strict form', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] })
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config })
    const told = problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`)
    const frozen = (text: string) =>
      text.startsWith('no-ambiguous-paths') &&
      FROZEN.every(path => text.includes(path.replaceAll('/', '~1')) || text.includes(path))
    expect(told.filter(text => !frozen(text))).toEqual([])
  })

  it('satisfies all recommended rules of Spectral', async () => {
    const spectral = new Spectral()
    spectral.setRuleset({ extends: [[oas as never, 'recommended']] })
    const problems = await spectral.run(JSON.stringify(document))
    expect(problems.map(({ code, message, path }) => `${code} at ${path.join('.')}: ${message}`)).toEqual([])
  })

  it('has an example with every parameter, answer, error and header, each as its own schema says', () => {
    const examples = examplesOf(document)
    expect(examples.filter(({ values }) => values.length === 0).map(({ where }) => where)).toEqual([])
    const wrong = examples.flatMap(({ where, schema, values }) =>
      values.flatMap(value => schemaErrors(document, schema, value).map(fault => `${where}: ${fault}`)),
    )
    expect(wrong).toEqual([])
  })

  it('describes every operation, parameter, answer, header, schema and field', () => {
    const silent: string[] = []
    const walk = (node: unknown, path: string): void => {
      if (node === null || typeof node !== 'object') return
      for (const [name, child] of Object.entries(node)) {
        const below = `${path}/${name}`
        if (/\/(properties|responses|headers|schemas|securitySchemes)\/[^/]+$/.test(below)) {
          const { description, $ref } = child as { description?: string; $ref?: string }
          if (!description && !$ref) silent.push(below)
        }
        if (!/\/(examples?|value)$/.test(below)) walk(child, below)
      }
    }
    walk(document, '')
    expect(silent).toEqual([])
  })
})
