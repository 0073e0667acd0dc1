import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ServiceMetrics } from '../../../cli/serve/metrics'
import { readSettings } from '../../../cli/settings'

const root = join(__dirname, '..', '..', '..')
const textOf = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8')

const page = textOf('rest-gateway', 'docs', 'operations.md')

/** The names of the settings, as they are asked for. */
function settingNames(): string[] {
  const asked = new Set<string>()
  readSettings(new Proxy<NodeJS.ProcessEnv>({}, { get: (_, name) => void asked.add(String(name)) }))
  return [...asked]
}

describe('the page Operations', () => {
  test('has a row for each setting, with its default, and for nothing else', () => {
    const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (.*?) ?\|/gm)].map(([, name, value]) => [name, value])
    expect(rows.map(([name]) => name).sort()).toEqual(settingNames().sort())
    const settings = readSettings(Object.fromEntries(rows.map(([name, value]) => [name, value])))
    expect(settings).toEqual(readSettings({}))
  })

  test('names metrics that there are', async () => {
    const { registry } = new ServiceMetrics({ connections: { total: 0, idle: 0, waiting: 0 } }, { waiting: 0 })
    const known = (await registry.getMetricsAsJSON()).map(({ name }) => name)
    const workers = textOf('cli', 'serve', 'workers.ts')
    const named = new Set(page.match(/\b(?:http|db|service|nodejs|process)_[a-z0-9_]+/g))
    for (const name of named) {
      if (!known.includes(name.replace(/_bucket$/, ''))) expect(workers).toContain(`'${name}'`)
    }
    expect(named.size).toBeGreaterThan(8)
  })
})

describe('the Dockerfile', () => {
  const dockerfile = textOf('Dockerfile')

  test('builds on a Node that package.json allows', () => {
    const [, least = ''] = /^>=(\d+)/.exec(JSON.parse(textOf('package.json')).engines.node) ?? []
    const [, image = ''] = /^ARG NODE=node:(\d+)/m.exec(dockerfile) ?? []
    expect(Number(image)).toBeGreaterThanOrEqual(Number(least))
  })

  test('gets all that the build takes, and no test, data or repository', () => {
    const taken = textOf('.dockerignore')
      .split('\n')
      .filter(line => line.startsWith('!'))
      .map(line => line.slice(1))
    expect(taken.filter(path => !existsSync(join(root, path)))).toEqual([])
    const rooms = JSON.parse(textOf('tsconfig.build.json')).include
    expect(taken).toEqual(expect.arrayContaining([...rooms, 'package.json', 'package-lock.json', 'CHANGELOG.md']))
    for (const path of ['.git', '.data', 'node_modules', 'test']) expect(taken).not.toContain(path)
  })

  test('starts what npm names as the command, as nobody in particular, without a shell in between', () => {
    const { bin } = JSON.parse(textOf('package.json'))
    expect(dockerfile).toContain(`ENTRYPOINT ["node", "${bin['partner-metrics']}"]`)
    expect(dockerfile).toMatch(/^USER node$/m)
    expect(dockerfile).toMatch(/^CMD \["serve"\]$/m)
  })

  test('watches over the health that the service tells', () => {
    const [, check = '[]'] = /HEALTHCHECK[\s\S]*?CMD (\[.*\])/.exec(dockerfile) ?? []
    const [program, flag, script] = JSON.parse(check)
    expect([program, flag]).toEqual(['node', '-e'])
    expect(() => new Function(script)).not.toThrow()
    expect(script).toContain('/healthz')
  })
})
