/** The package of the client as partners install it from the service: beside the packages that it depends on, without the service. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Command } from '../support/command'
import { send } from '../support/http'
import { World } from '../support/world'

const ROOT = join(__dirname, '..', '..')

const readText = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8')

const readJson = (...path: string[]) => JSON.parse(readText(...path))

const { version, dependencies } = readJson('client', 'package.json')

/** Beside the dependencies, for programs that use the client. */
const FOR_TYPES = ['openapi-typescript-helpers', '@types']

const run = promisify(execFile)

const folder = mkdtempSync(join(tmpdir(), 'partner-metrics-client-'))
let world: World
let key: string

beforeAll(async () => {
  world = await World.open()
  const { make } = world
  const company = await make.company('Alder')
  key = await make.key([company])
  const sensor = await make.sensor({ asset: await make.asset({ company, name: 'Bridge' }), grain: 'day' })
  await make.counts(sensor, '2026-03-29', () => 41)
  const { bytes } = await send(`${world.url}/client-${version}.tgz`)
  writeFileSync(join(folder, 'client.tgz'), bytes)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'key'), key)
  await run('tar', ['-xzf', 'client.tgz'], { cwd: folder })
  for (const name of [...Object.keys(dependencies), ...FOR_TYPES]) {
    const path = join(folder, 'node_modules', name)
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), path)
  }
  renameSync(join(folder, 'package'), join(folder, 'node_modules', 'partner-metrics-client'))
})

afterAll(async () => {
  await world.stop()
  rmSync(folder, { recursive: true })
})

test('the service sends the package to be kept for ever, and /client.tgz leads to it', async () => {
  const path = `/client-${version}.tgz`
  const { status, headers, bytes } = await send(world.url + path, { headers: { 'Accept-Encoding': 'gzip, br' } })
  expect([status, headers['content-type'], headers['content-encoding']]).toEqual([200, 'application/gzip', undefined])
  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
  const head = await send(world.url + path, { method: 'HEAD', headers: { 'Accept-Encoding': 'gzip, br' } })
  expect(head.headers['content-length']).toBe(`${bytes.length}`)
  const current = await send(`${world.url}/client.tgz`)
  expect([current.status, current.headers.location]).toEqual([302, path])
})

/** Runs the installed command. */
const pull = (...args: string[]) => {
  const main = join(folder, 'node_modules', 'partner-metrics-client', 'dist', 'pull', 'main.js')
  return new Command(args, {}, undefined, { main, cwd: folder }).ended
}

test('the installed command keeps a copy, and says how it is used', async () => {
  await world.owner.query('CREATE SCHEMA copy')
  const database = new URL(world.database.ownerUrl)
  database.searchParams.set('options', '-c search_path=copy')
  const options = ['--url', world.url, '--key-file', 'key', '--to', database.href]
  expect(await pull(...options, '--verify')).toMatchObject({ code: 0, stdout: expect.stringContaining('first copy') })
  const { stdout } = await pull(...options, '--verify', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ first: false, changes: 0, differences: [] })
  const wrong = await pull('--to', 'data', '--json')
  expect([wrong.code, JSON.parse(wrong.stdout).error.code]).toEqual([2, 'USAGE'])
  expect(wrong.stderr).toBe("error: required option '--url <url>' not specified\n")
})

/** Changes to the program of the documentation that must not compile. */
const MISTAKES = [
  ["'/v1/partner/assets'", "'/v1/partner/faces'"],
  ["'quarter_hour'", "'fortnight'"],
  ["'GRAIN_NOT_AVAILABLE'", "'INSUFFICIENT_SCOPE'"],
  ['details.finest_grain', 'details.nothing'],
  ['data.total', 'data.sum'],
] as const

test('the program of the documentation runs as printed beside the package, and is TypeScript in strict mode', async () => {
  const [, program = ''] = /```ts report\.mjs\n([\s\S]*?)```/.exec(readText('docs', 'guide.md')) ?? []
  expect(program.split('\n').length).toBeLessThan(60)
  const [FROM, TO] = ['2026-03-29', '2026-03-29']
  const env = { PATH: process.env.PATH, METRICS_URL: world.url, METRICS_KEY: key, FROM, TO }
  const printed = /^Bridge: finest grain is day\n41 impressions\n$/
  // As `npm install` leaves it in an empty folder: without "type".
  writeFileSync(join(folder, 'package.json'), '{}')
  writeFileSync(join(folder, 'report.mjs'), program)
  expect((await run(process.execPath, ['report.mjs'], { cwd: folder, env })).stdout).toMatch(printed)
  writeFileSync(join(folder, 'program.mts'), program)
  const mistaken = MISTAKES.map(([right, wrong], i) => {
    expect(program).toContain(right)
    writeFileSync(join(folder, `mistake-${i}.mts`), program.replace(right, wrong))
    return `mistake-${i}.mts`
  })
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  // A declaration of the package that is wrong is of any type, of which a mistake is none.
  const forNode = '--target es2023 --lib es2023 --module nodenext --types node --noEmit --skipLibCheck'.split(' ')
  const { stdout } = await run(process.execPath, [compiler, '--strict', ...forNode, 'program.mts', ...mistaken], {
    cwd: folder,
  }).catch(failed => failed as { stdout: string })
  const faulty = new Set([...stdout.matchAll(/^(\S+)\(.*: error TS/gm)].map(([, file]) => file))
  expect([...faulty].sort()).toEqual(mistaken)
})

test('the client is released with the service: same version, same packages, and the documents name it', () => {
  const product = readJson('package.json')
  expect(version).toBe(product.version)
  expect(product.dependencies).toMatchObject(dependencies)
  expect(product.engines).toEqual(readJson('client', 'package.json').engines)
  for (const page of [readText('docs', 'clients.md'), readText('client', 'README.md')]) {
    expect(page).toContain(`npm install https://metrics.example/client-${version}.tgz\n`)
  }
  expect(readText('docs', 'install.md')).toContain(`\nVERSION=${version} `)
})
