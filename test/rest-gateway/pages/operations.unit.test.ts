import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GatewayMetrics } from '../../../cli/serve/metrics/metrics'
import { readSettings } from '../../../cli/settings'

const root = join(__dirname, '..', '..', '..')
const readText = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8')

const page = readText('docs', 'install.md') + readText('docs', 'running.md')

/** Returns the names of all environment variables that are read. */
function settingNames(): string[] {
  const names = new Set<string>()
  readSettings(new Proxy<NodeJS.ProcessEnv>({}, { get: (_, name) => void names.add(String(name)) }))
  return [...names]
}

describe('the operations page', () => {
  test('lists every setting with its default', () => {
    const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (.*?) ?\|/gm)].map(([, name, value]) => [name, value])
    expect(rows.map(([name]) => name).sort()).toEqual(settingNames().sort())
    const settings = readSettings(Object.fromEntries(rows.map(([name, value]) => [name, value])))
    expect(settings).toEqual(readSettings({}))
  })

  test('names only metrics that exist', async () => {
    const reader = { connections: { total: 0, idle: 0, waiting: 0 }, isBounded: true, reports: [] }
    const { registry } = new GatewayMetrics(reader, '1.0.0')
    const known = (await registry.getMetricsAsJSON()).map(({ name }) => name)
    const others = readText('cli', 'serve', 'metrics', 'data-status.ts')
    const named = new Set(page.match(/\b(?:http|db|service|nodejs|process|sensors|import_last)_[a-z0-9_]+/g))
    for (const name of named) {
      if (!known.includes(name.replace(/_bucket$/, ''))) expect(others).toContain(`'${name}'`)
    }
    expect(named.size).toBeGreaterThan(8)
  })
})

test('the operations page names an existing test for each of the ten risks of OWASP', () => {
  const rows = [...page.matchAll(/^\| (API\d+) .*\| `(.+?)`: (.+) \|$/gm)].map(([, ...row]) => row)
  expect(rows.map(([risk]) => risk)).toEqual(Array.from({ length: 10 }, (_, i) => `API${i + 1}`))
  for (const [, file = '', name] of rows) expect(readText('test', ...file.split('/'))).toContain(name)
})
