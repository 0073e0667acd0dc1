/** The methodology as REST, GraphQL and the page show it, with what the operator states and without. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildBeforeAll } from '../../support/build'
import { Command } from '../../support/command'
import { settingsOf } from '../../support/databases'
import { send } from '../../support/http'
import { World } from '../../support/world'

jest.setTimeout(120_000)
buildBeforeAll()

const FILE = join(__dirname, '..', '..', '..', 'ops', 'methodology.json')
const PATH = '/v1/partner/methodology'

let world: World
let service: Command
/** The service without a statement, and that with one. */
let urls: [string, string]
let key: string

beforeAll(async () => {
  world = await World.open()
  key = await world.make.key([], { scopes: ['internal:graphql:read'] })
  service = new Command(['serve'], { ...settingsOf(world.database), METRICS_ENV: 'dev', METHODOLOGY_FILE: FILE })
  urls = [world.url, await service.url()]
})
afterAll(async () => {
  await service.end('SIGTERM')
  await world.stop()
})

const read = async (url: string) => JSON.parse((await send(url + PATH, { key })).text)

test('without a file, the operator has stated nothing further', async () => {
  const { provider, sources, accuracy, exposure_zones, adjustments, audits } = (await world.get(PATH, { key })).body
  expect([provider, accuracy, exposure_zones, adjustments, audits]).toEqual([null, null, null, null, null])
  expect(sources.map((source: { kind: string }) => source.kind)).toEqual(['not_stated', 'not_stated', 'not_stated'])
  expect(sources[0].description).toContain('The operator has stated nothing further.')
  expect((await send(`${urls[0]}/docs/methodology`)).text).toContain('<li>adjustments: not stated</li>')
})

test('what the operator states is served as it is in the file, and changes nothing that the service guarantees', async () => {
  const stated = JSON.parse(readFileSync(FILE, 'utf8'))
  const [general, served] = [await read(urls[0]), await read(urls[1])]
  expect(served).toMatchObject(stated)
  expect(Object.keys(served)).toEqual(Object.keys(general))
  for (const name of Object.keys(stated)) delete served[name]
  expect(general).toMatchObject(served)
})

test('GraphQL and the page show the same, and a text of the operator is no markup', async () => {
  const query = '{ methodology { provider adjustments { name factor } audits { auditor } } }'
  const { text } = await send(`${urls[1]}/graphql`, {
    key,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  const adjustments = [{ name: 'staff who pass on the way to work', factor: 0.98 }]
  expect(JSON.parse(text).data.methodology).toEqual({ provider: 'Example Outdoor & Sons', adjustments, audits: [] })
  const page = (await send(`${urls[1]}/docs/methodology`)).text
  expect(page).toContain('<li>provider: Example Outdoor &#38; Sons</li>')
  expect(page).toContain('<li>audits: none</li>')
  const markdown = (await send(`${urls[1]}/docs/methodology.md`)).text
  expect(markdown).toContain('- adjustments: name: staff who pass on the way to work; factor: 0.98\n')
})

test('the level is the first of five, and the thresholds of quality control are numbers', async () => {
  const { version, level, quality_control: rules } = await read(urls[0])
  expect([version, level.name]).toEqual(['2026-11-28', 'location_traffic'])
  expect(level.ladder.map((rung: { name: string; available: boolean }) => [rung.name, rung.available])).toEqual([
    ['location_traffic', true],
    ['gross_impressions', false],
    ['opportunity_to_see', false],
    ['likelihood_to_see', false],
    ['audience', false],
  ])
  const { implausible, silent } = Object.fromEntries(
    rules.map(({ name, definition }: Record<string, string>) => [name, definition]),
  )
  expect(implausible).toContain('above 5 times the greatest of the 56 days before and 50 more, or a day above 3 times')
  expect(silent).toContain('two whole days')
  expect(JSON.stringify(rules)).not.toMatch(/undefined|NaN|[{]\w+[.\w]*[}]/)
})
