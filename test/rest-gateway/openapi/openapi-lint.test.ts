/** Lints the OpenAPI document. It needs no database, but takes too long for a unit test. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Spectral } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'

const source = readFileSync(join(__dirname, '..', '..', '..', 'rest-gateway', 'openapi', 'openapi.json'), 'utf8')

/** Both legacy paths are frozen, and OpenAPI resolves the ambiguity: a concrete path is matched before a templated one. */
const AMBIGUOUS = ['/v1/metrics/assets/legacy-ids', '/v1/metrics/assets/{id}']

test('the OpenAPI document satisfies the recommended-strict rules of Redocly', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  const messages = problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`)
  const isAllowed = (message: string) =>
    message.startsWith('no-ambiguous-paths') &&
    AMBIGUOUS.every(path => message.includes(path.replaceAll('/', '~1')) || message.includes(path))
  expect(messages.filter(message => !isAllowed(message))).toEqual([])
})

test('the OpenAPI document satisfies the recommended rules of Spectral', async () => {
  const spectral = new Spectral()
  spectral.setRuleset({ extends: [[oas as never, 'recommended']] })
  const problems = await spectral.run(source)
  expect(problems.map(({ code, message, path }) => `${code} at ${path.join('.')}: ${message}`)).toEqual([])
})
