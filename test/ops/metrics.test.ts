import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from '../support/command'
import { createDatabase, settingsOf, type TestDatabase } from '../support/databases'
import { OPS } from '../support/debian'
import { send } from '../support/http'
import { run, runJson } from '../support/in-process'

jest.setTimeout(120_000)

let database: TestDatabase
let metrics: string
let ending: { id: string; expires_at: string }
let history: { command: string; details: object }[]

beforeAll(async () => {
  database = await createDatabase()
  const env = settingsOf(database)
  await run(['import', 'companies', '-'], env, 'id,name\ncompanyalder,Alder\n')
  await run(['import', 'sensors', '-', '--dry-run'], env, 'no,such\n1,2\n')
  await run(['import', 'vendors', '-'], env, 'no,such\n1,2\n')
  history = (await runJson(['history'], env)).document.rows
  await run(['doctor'], env)
  const { document } = await runJson(['keys', 'issue', '--no-company'], env)
  const end = new Date(Date.now() + 10 * 86_400_000).toISOString()
  ending = (await runJson(['keys', 'issue', '--no-company', '--expires', end, '--label', 'Ends'], env)).document
  const service = new Command(['serve'], env)
  const url = await service.url()
  await send(`${url}/v1/partner/meta`, { key: document.key })
  const [, address = ''] = /"metrics":"([^"]+)"/.exec(service.stderr) ?? []
  do {
    metrics = (await send(address)).text
    await sleep(20)
  } while (!metrics.includes('sensors_silent '))
  await service.end('SIGTERM')
}, 120_000)
afterAll(() => database.drop())

/** Returns the names of metrics in an expression. */
const namesIn = (text: string): string[] =>
  text.match(
    /\b(?:up|(?:http|db|nodejs|process|service|sensors|doctor|key_expiration|import)_[a-z0-9_]+)(?=[\s{[)])/g,
  ) ?? []

test.each(['alerts.yml', 'grafana-dashboard.json'])('each metric of %s is one of the service', file => {
  const text = readFileSync(join(OPS, file), 'utf8').replace(/\\"/g, '"')
  const names = new Set(namesIn(text))
  names.delete('up')
  expect(names.size).toBeGreaterThan(8)
  // Only services with replicas have these.
  const others = readFileSync(join(OPS, '..', 'cli', 'serve', 'metrics', 'host-metrics.ts'), 'utf8')
  for (const name of names) {
    if (others.includes(`'${name}'`)) continue
    expect(metrics).toMatch(new RegExp(`^${name}[ {]`, 'm'))
  }
})

test('each panel of the dashboard has a title, a place of its own and an expression', () => {
  const { panels } = JSON.parse(readFileSync(join(OPS, 'grafana-dashboard.json'), 'utf8'))
  for (const { title, targets } of panels) {
    expect(title).toMatch(/\w/)
    for (const { expr } of targets) expect(namesIn(expr).length).toBeGreaterThan(0)
  }
  const places = panels.map(({ gridPos: { x, y } }: { gridPos: { x: number; y: number } }) => `${x},${y}`)
  expect(new Set(places).size).toBe(panels.length)
})

test('the metrics name keys that end soon', () => {
  const { id, expires_at } = ending
  expect(metrics).toContain(
    `key_expiration_timestamp_seconds{key_id="${id}",label="Ends",state="current"} ${Date.parse(expires_at) / 1000}`,
  )
})

test('the metrics show how many sensors are silent, and when each kind was imported, or failed', () => {
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1])
  expect([value('sensors_installed'), value('sensors_silent')]).toEqual([0, 0])
  const now = Date.now() / 1000
  for (const name of [
    'success_timestamp_seconds\\{kind="companies"\\}',
    'failure_timestamp_seconds\\{kind="vendors"\\}',
  ]) {
    expect(value(`import_last_${name}`)).toBeGreaterThan(now - 600)
    expect(value(`import_last_${name}`)).toBeLessThan(now + 1)
  }
  // A dry run is no import, and nothing else was imported.
  expect(metrics.match(/^import_last_\w+\{/gm)).toHaveLength(2)
})

test('the history shows failed imports, and the list of imports does not', async () => {
  expect(history).toMatchObject([
    { command: 'failed import vendors', details: { file: '-' } },
    { command: 'import companies' },
  ])
  const { document } = await runJson(['list', 'imports'], settingsOf(database))
  expect(document.rows).toMatchObject([{ kind: 'companies' }])
})
