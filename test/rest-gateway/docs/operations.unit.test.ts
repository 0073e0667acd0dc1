import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GatewayMetrics } from '../../../cli/serve/metrics/metrics'
import { readSettings } from '../../../cli/settings'

const root = join(__dirname, '..', '..', '..')
const readText = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8')

const page = readText('docs', 'operations.md')

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
    const { registry } = new GatewayMetrics(reader)
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

describe('the Dockerfile', () => {
  const dockerfile = readText('Dockerfile')

  test('uses a version of Node that package.json allows', () => {
    const [, minimum = ''] = /^>=(\d+)/.exec(JSON.parse(readText('package.json')).engines.node) ?? []
    const [, image = ''] = /^ARG NODE=node:(\d+)/m.exec(dockerfile) ?? []
    expect(Number(image)).toBeGreaterThanOrEqual(Number(minimum))
  })

  test('copies everything that the build needs, but no tests, data or Git repository', () => {
    const copied = readText('.dockerignore')
      .split('\n')
      .filter(line => line.startsWith('!'))
      .map(line => line.slice(1))
    expect(copied.filter(path => !existsSync(join(root, path)))).toEqual([])
    const folders = JSON.parse(readText('build', 'tsconfig.json')).include.map((path: string) =>
      path.replace('../', ''),
    )
    const files = ['package.json', 'package-lock.json', 'tsconfig.json', 'CHANGELOG.md']
    expect(copied.toSorted()).toEqual(['build', 'web', 'docs', ...folders, ...files].toSorted())
  })

  test('runs the command of the package as an unprivileged user, without a shell', () => {
    const { bin } = JSON.parse(readText('package.json'))
    expect(dockerfile).toContain(`ENTRYPOINT ["node", "${bin['partner-metrics']}"]`)
    expect(dockerfile).toMatch(/^USER node$/m)
    expect(dockerfile).toMatch(/^CMD \["serve"\]$/m)
  })

  test('has a health check', () => {
    const [, check = '[]'] = /HEALTHCHECK[\s\S]*?CMD (\[.*\])/.exec(dockerfile) ?? []
    const [program, flag, script] = JSON.parse(check)
    expect([program, flag]).toEqual(['node', '-e'])
    expect(() => new Function(script)).not.toThrow()
    expect(script).toContain('/healthz')
  })
})
