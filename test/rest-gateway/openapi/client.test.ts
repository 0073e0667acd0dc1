/** Runs the code examples of the README and the guide against the service. Without python3 or curl, theirs are skipped. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ASSETS } from '../../../db/seeds/demo/assets'
import { startDemo } from '../../support/demo'
import { type Service, send } from '../../support/service'

const ROOT = join(__dirname, '..', '..', '..')

const run = promisify(execFile)

/** Whether a program is installed. Warns if not. */
function isInstalled(program: string): boolean {
  const found = spawnSync(program, ['--version']).status === 0
  if (!found) console.warn(`${program} is not installed: its example was not run`)
  return found
}

const FROM_README =
  /```ts\n(import createClient[\s\S]*?)\n```/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))?.[1] ?? ''

/** Changes to the client that must not compile. */
const MISTAKES = [
  ['an unknown path', "'/v1/partner/assets'", "'/v1/partner/faces'"],
  ['an unknown grain', "'quarter_hour'", "'fortnight'"],
  ['a code that the route never returns', "'GRAIN_NOT_AVAILABLE'", "'INSUFFICIENT_SCOPE'"],
  ['a detail of another code', 'details.finest_grain', 'details.max_days'],
  ['an unknown field', 'data.total', 'data.sum'],
] as const

const textOf = (html: string) =>
  html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')

describe('the code examples', () => {
  const folder = mkdtempSync(join(tmpdir(), 'partner-metrics-client-'))
  let service: Service
  let guide: string
  let env: NodeJS.ProcessEnv
  /** The compiler errors of a program. */
  let errorsIn: (name: string) => string[]
  const nameOf = (mistake: string) => mistake.replaceAll(' ', '-')

  beforeAll(async () => {
    const demo = await startDemo()
    service = demo.service
    guide = (await send(`${service.url}/docs`)).text
    env = {
      PATH: process.env.PATH,
      METRICS_URL: service.url,
      METRICS_KEY: demo.keyOf('partner'),
    }
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const cli = join(ROOT, 'node_modules', 'openapi-typescript', 'bin', 'cli.js')
    await run(process.execPath, [cli, `${service.url}/openapi.json`, '--output', join(folder, 'metrics.ts')])
    const wrong = MISTAKES.map(([what, right, wrong]) => [nameOf(what), FROM_README.replace(right, wrong)])
    errorsIn = await compile({ client: FROM_README, ...Object.fromEntries(wrong) })
  }, 60_000)
  afterAll(async () => {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const expectedAssets = ASSETS.filter(({ company_id }) => company_id.startsWith('Nordlicht'))

  /** A code example of the guide, as it is served. */
  function example(name: string): string {
    const [, html] = new RegExp(`<pre data-tab="${name}"><code>([\\s\\S]*?)</code></pre>`).exec(guide) ?? []
    if (html === undefined) throw new Error(`the guide has no example for ${name}`)
    return textOf(html)
  }

  /** Compiles programs together, in strict mode. @returns the compiler errors by program name */
  async function compile(programs: Record<string, string>): Promise<(name: string) => string[]> {
    for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, `${name}.ts`), text)
    const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
    const options = '--strict --skipLibCheck --target es2023 --module esnext --moduleResolution bundler --types node'
    const files = Object.keys(programs).map(name => `${name}.ts`)
    const { stdout } = await run(process.execPath, [compiler, ...options.split(' '), ...files], { cwd: folder }).catch(
      failed => failed as { stdout: string },
    )
    return name => stdout.split('\n').filter(line => line.startsWith(`${name}.ts(`))
  }

  test('the README and the guide have the same TypeScript client', () => {
    expect(FROM_README).toBe(example('TypeScript'))
  })

  test('the TypeScript client compiles, reads a series of each asset on all pages, and handles an error', async () => {
    expect(errorsIn('client')).toEqual([])
    const { stdout } = await run(process.execPath, ['client.js'], { cwd: folder, env })
    const lines = stdout.trim().split('\n')
    expect(lines).toHaveLength(expectedAssets.length)
    for (const { name } of expectedAssets) expect(lines.filter(line => line.startsWith(`${name}: `))).toHaveLength(1)
    const counted = lines.filter(line => /: [1-9]\d* in 6\d\d quarter hours$/.test(line))
    const rejected = lines.filter(line => /: finest grain is hour$/.test(line))
    expect([counted.length > 10, rejected.length > 2, counted.length + rejected.length >= lines.length - 2]).toEqual([
      true,
      true,
      true,
    ])
  }, 60_000)

  test.each(MISTAKES)('the TypeScript client does not compile with %s', (what, right) => {
    expect(FROM_README).toContain(right)
    expect(errorsIn(nameOf(what))).toContainEqual(expect.stringMatching(/: error TS/))
  })

  ;(isInstalled('curl') ? test : test.skip)(
    'the curl example prints the company, two assets and a week of impressions',
    async () => {
      const { stdout } = await run('bash', ['-e', '-c', example('curl').replaceAll(/^curl /gm, 'curl -sS --fail ')], {
        env,
      })
      expect(stdout).toContain('Nordlicht')
      expect(stdout).toMatch(/"has_more":true,"limit":2/)
      const [, total] = /"total":(\d+)/.exec(stdout) ?? []
      expect(Number(total)).toBeGreaterThan(1000)
    },
  )

  ;(isInstalled('python3') ? test : test.skip)(
    'the Python example prints a week of impressions of each asset',
    async () => {
      writeFileSync(join(folder, 'client.py'), example('Python'))
      const { stdout } = await run('python3', ['client.py'], { cwd: folder, env })
      const lines = stdout.trim().split('\n')
      expect(lines).toHaveLength(expectedAssets.length)
      expect(lines.filter(line => /^.+ [1-9]\d* \[.*\d+.*\]$/.test(line)).length).toBeGreaterThan(20)
    },
  )
})
