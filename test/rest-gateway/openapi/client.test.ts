/**
 * What a partner's developer copies works: the README's client is generated, compiled and run, and so are the samples of
 * the guide, against the running service. Without python3 or curl their sample is skipped, and says so.
 */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { FACES } from '../../../db/seeds/demo/assets'
import { startDemo } from '../../support/demo'
import { type Service, send } from '../../support/service'

const ROOT = join(__dirname, '..', '..', '..')

const run = promisify(execFile)

/** Whether a program is here; says so where it is not. */
function has(program: string): boolean {
  const here = spawnSync(program, ['--version']).status === 0
  if (!here) console.warn(`The sample for ${program} was not tried: there is none here.`)
  return here
}

const FROM_README =
  /```ts\n(import createClient[\s\S]*?)\n```/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))?.[1] ?? ''

/** What a partner may get wrong, and the types tell. */
const MISTAKES = [
  ['a path that there is not', "'/v1/partner/assets'", "'/v1/partner/faces'"],
  ['a grain that there is not', "'quarter_hour'", "'fortnight'"],
  ['a code that the route never gives', "'GRAIN_NOT_AVAILABLE'", "'INSUFFICIENT_SCOPE'"],
  ['a detail that another code has', 'details.finest_grain', 'details.max_days'],
  ['a field that there is not', 'data.total', 'data.sum'],
] as const

const textOf = (html: string) =>
  html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')

describe('what a partner copies works:', () => {
  const folder = mkdtempSync(join(tmpdir(), 'partner-metrics-client-'))
  let service: Service
  let guide: string
  let env: NodeJS.ProcessEnv
  /** What the compiler says of a program. */
  let faultsIn: (name: string) => string[]
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
    faultsIn = await compile({ client: FROM_README, ...Object.fromEntries(wrong) })
  }, 60_000)
  afterAll(async () => {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const ours = FACES.filter(({ company }) => company.name.startsWith('Nordlicht'))

  /** A sample of the guide, as it is served. */
  function sample(name: string): string {
    const [, html] = new RegExp(`<pre data-sample="${name}"><code>([\\s\\S]*?)</code></pre>`).exec(guide) ?? []
    if (html === undefined) throw new Error(`the guide has no sample of ${name}`)
    return textOf(html)
  }

  /** Compiles programs strictly, all at once. @returns what the compiler says of each, by name */
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

  test('the client of the README is that of the guide', () => {
    expect(FROM_README).toBe(sample('TypeScript'))
  })

  test('it compiles, walks all pages, reads a series of each asset, and tells an error by its code', async () => {
    expect(faultsIn('client')).toEqual([])
    const { stdout } = await run(process.execPath, ['client.js'], { cwd: folder, env })
    const lines = stdout.trim().split('\n')
    expect(lines).toHaveLength(ours.length)
    for (const { name } of ours) expect(lines.filter(line => line.startsWith(`${name}: `))).toHaveLength(1)
    const told = lines.filter(line => /: [1-9]\d* in 6\d\d quarter hours$/.test(line))
    const refused = lines.filter(line => /: by hour only$/.test(line))
    expect([told.length > 10, refused.length > 2, told.length + refused.length >= lines.length - 2]).toEqual([
      true,
      true,
      true,
    ])
  }, 60_000)

  test.each(MISTAKES)('its types refuse %s', (what, right) => {
    expect(FROM_README).toContain(right)
    expect(faultsIn(nameOf(what))).toContainEqual(expect.stringMatching(/: error TS/))
  })

  ;(has('curl') ? test : test.skip)(
    'the sample for curl tells the company, two assets and a week of numbers',
    async () => {
      const { stdout } = await run('bash', ['-e', '-c', sample('curl').replaceAll(/^curl /gm, 'curl -sS --fail ')], {
        env,
      })
      expect(stdout).toContain('Nordlicht')
      expect(stdout).toMatch(/"has_more":true,"limit":2/)
      const [, total] = /"total":(\d+)/.exec(stdout) ?? []
      expect(Number(total)).toBeGreaterThan(1000)
    },
  )

  ;(has('python3') ? test : test.skip)('the sample for Python tells every asset with a week of numbers', async () => {
    writeFileSync(join(folder, 'client.py'), sample('Python'))
    const { stdout } = await run('python3', ['client.py'], { cwd: folder, env })
    const lines = stdout.trim().split('\n')
    expect(lines).toHaveLength(ours.length)
    expect(lines.filter(line => /^.+ [1-9]\d* \[.*\d+.*\]$/.test(line)).length).toBeGreaterThan(20)
  })
})
