/** Follows an operator with the package: packs and installs it, follows the README, starts it, and installs the next version. */
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { dateOf, dayNumber } from '../../db/calendar/local-days'
import { Command, DataDir, type Env } from '../support/command'
import { freePort } from '../support/free-port'
import { send } from '../support/http'
import { runJson } from '../support/in-process'

const ROOT = join(__dirname, '..', '..')

const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8'))

const { dependencies } = readJson(ROOT, 'package.json')

/** Files of the source code that are packed, or that packing needs. */
const SOURCES = ['README.md', 'build', 'dist', 'ops', 'package-lock.json', 'package.json']

const [, SECTION = ''] =
  /^## Your own counts in five minutes\n([\s\S]*?)^## /m.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? []

const findBlocks = (language: string): string[] =>
  [...SECTION.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, block]) => block as string)

const testWithCurl = spawnSync('curl', ['--version']).status === 0 ? test : test.skip

jest.setTimeout(240_000)

const run = promisify(execFile)

/** The folder in which an installed package stores its database. */
const data = new DataDir(0o755, '.partner-metrics')
const folder = dirname(data.path)
const modules = join(folder, 'node_modules')
const installed = join(modules, 'partner-metrics')

beforeAll(async () => {
  const source = join(folder, 'source')
  for (const name of SOURCES) cpSync(join(ROOT, name), join(source, name), { recursive: true })
  await run('npm', ['run', 'release'], { cwd: source })
  await run('sh', ['-c', 'tar -xzf source/release/*.tgz'], { cwd: folder })
  link('.bin/partner-metrics', join('..', 'partner-metrics', 'dist', 'cli', 'main.js'))
  renameSync(join(folder, 'package'), installed)
  for (const name of Object.keys(dependencies)) link(name, join(ROOT, 'node_modules', name))
})
afterAll(() => data.dispose())

/** Makes a link in node_modules. */
function link(name: string, target: string): void {
  const path = join(modules, name)
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

const makeFolder = (name: string): string => mkdirSync(join(folder, name), { recursive: true }) as string

const ENV = { HOME: folder, METRICS_ENV: 'dev' }

/** Runs the installed command. */
const start = (args: string[], cwd = folder, env: Env = {}) =>
  new Command(args, { ...ENV, ...env }, undefined, { main: join(modules, '.bin', 'partner-metrics'), cwd })

test('the package has what was built, examples for operators, and the lock file', async () => {
  const contents = ['README.md', 'build', 'dist', 'npm-shrinkwrap.json', 'ops', 'package.json']
  expect(readdirSync(installed).sort()).toEqual(contents)
  expect(readJson(installed, 'npm-shrinkwrap.json')).toEqual(readJson(ROOT, 'package-lock.json'))
  expect(readdirSync(join(folder, 'source')).sort()).toEqual([...SOURCES, 'release'])
  const program = "process.stdout.write(typeof require('partner-metrics/client').connect)"
  expect((await run(process.execPath, ['-e', program], { cwd: folder })).stdout).toBe('function')
})

test('a release is the package, its SBOM and the hashes of both; packed again, the package has the same bytes', async () => {
  const release = join(folder, 'source', 'release')
  const { name, version } = readJson(installed, 'package.json')
  const files = ['SHA256SUMS', `${name}-${version}.cdx.json`, `${name}-${version}.tgz`]
  expect(readdirSync(release).sort()).toEqual(files)
  expect(readJson(release, files[1] as string).metadata.component.purl).toBe(`pkg:npm/${name}@${version}`)
  await run('npm', ['pack', '--pack-destination', release], { cwd: join(folder, 'source') })
  const { stdout } = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: release })
  expect(stdout).toBe(
    files
      .slice(1)
      .map(file => `${file}: OK\n`)
      .join(''),
  )
})

test('npm ci --omit=dev keeps what was built, and otherwise says what to do', async () => {
  const [node, script = ''] = readJson(installed, 'package.json').scripts.prepare.split(' ')
  expect(node).toBe('node')
  const prepare = () => run(process.execPath, [script], { cwd: installed })
  await expect(prepare()).resolves.toMatchObject({ stdout: expect.stringContaining('dist/ is kept') })
  const dist = join(installed, 'dist')
  renameSync(dist, `${dist}.away`)
  await expect(prepare()).rejects.toMatchObject({ stderr: expect.stringContaining('run `npm ci --include=dev`') })
  renameSync(`${dist}.away`, dist)
})

test('the database is not that of the working directory', async () => {
  const cwd = makeFolder('other')
  mkdirSync(join(cwd, '.data', 'postgres'), { recursive: true })
  const { code, stderr } = await start(['list', 'keys'], cwd).ended
  expect(code).toBe(1)
  expect(stderr).toContain(`there is no database in ${data.path}: `)
})

testWithCurl('the README leads from an empty directory to the numbers on the screen', async () => {
  const [install, ...steps] = findBlocks('sh')
  expect(install).toMatch(/^npm ci\nalias partner-metrics=/)
  expect(steps).toHaveLength(2)
  const port = `${await freePort()}`
  const stop = `echo\npartner-metrics status\nkill %1\nwait\npartner-metrics delete companies 'Acme Outdoor' --yes\n`
  const script = [...steps, stop].join('\n').replaceAll('4100', port)
  const PATH = [join(modules, '.bin'), process.env.PATH].join(delimiter)
  const options = { cwd: makeFolder('empty'), env: { ...ENV, PATH, PORT: port, ADMIN_PORT: '0' } }
  const { stdout, stderr } = await run('bash', ['-e', '-m', '-c', script], options)
  expect(stderr).not.toContain('error')
  const response = stdout.split('\n').find(line => line.startsWith('{'))
  expect(JSON.parse(response as string)).toEqual(JSON.parse(findBlocks('json')[0] as string))
  expect(stdout).toContain(`the service at http://127.0.0.1:${port} is running and ready`)
  expect(stdout).toContain('1 company')
  expect(readdirSync(options.cwd).sort()).toEqual(['assets.csv', 'counts.csv', 'sensors.csv', 'service.log'])
  expect(readdirSync(data.path)).toEqual(['epoch', 'postgres'])
})

describe('started in dev without companies, the service', () => {
  let service: Command
  let url: string
  /** The example request, and its response. */
  let example: { key: string; address: string; body: unknown }

  beforeAll(async () => {
    service = start(['serve'])
    url = await service.url()
    while (!service.stdout.includes('curl -H ')) await sleep(20)
  })

  test('has loaded the demo, and printed a working example', async () => {
    const [, key = '', address = ''] = /curl -H 'X-API-Key: (\S+)' '(\S+)'/.exec(service.stdout) ?? []
    expect(address.startsWith(`${url}/v1/partner/assets/`)).toBe(true)
    const { status, body } = await send(address, { key })
    expect([status, body.data.length]).toEqual([200, 7])
    expect(body.total).toBeGreaterThan(0)
    example = { key, address, body }
    const last = dayNumber(body.data[6].date)
    const all = await send(address.replace(/from_date=[\d-]+/, `from_date=${dateOf(last - 89)}`), { key })
    expect(all.body.data[0].coverage).toBeGreaterThan(0)
    for (const page of ['/', '/docs/changelog', '/explorer']) expect((await send(url + page)).status).toBe(200)
    const { document } = await runJson(['demo'], { DATA_DIR: data.path, METRICS_ENV: 'dev' })
    expect(document).toMatchObject({ loaded: false, days: 90, keys: [] })
  })

  test('is followed by the next version after a kill: it runs its migrations, has the same data, and says its version', async () => {
    await service.end('SIGKILL')
    renameSync(installed, join(folder, 'former'))
    cpSync(join(folder, 'former'), installed, { recursive: true })
    const next = { ...readJson(installed, 'package.json'), version: '98.7.6' }
    writeFileSync(join(installed, 'package.json'), JSON.stringify(next))
    const up = 'knex => knex.raw("COMMENT ON TABLE companies IS \'upgraded\'")'
    writeFileSync(join(installed, 'dist', 'db', 'migrations', '9999_next.js'), `exports.up = exports.down = ${up}`)
    const upgraded = start(['serve'], folder, { PORT: new URL(url).port })
    expect(await upgraded.url()).toBe(url)
    expect((await send(example.address, { key: example.key })).body).toEqual(example.body)
    const env = { DATA_DIR: data.path }
    expect((await runJson(['list', 'companies'], env)).document.error).toEqual({
      code: 'DATABASE_NEWER',
      message: expect.stringContaining('9999_next.ts'),
    })
    expect(await readVersions(url, upgraded)).toEqual(Array(6).fill(next.version))
    const { code, stdout, stderr } = await upgraded.end('SIGTERM')
    expect([code, stdout + stderr]).toEqual([0, expect.not.stringContaining('demo')])
  })
})

/** Returns the version of a running service from each place that names it. */
async function readVersions(url: string, service: Command): Promise<(string | undefined)[]> {
  const { metrics, version } = JSON.parse(
    (await service.startLog()).split('\n').find(line => line.includes('"started"')) as string,
  )
  const find = async (page: string, pattern: RegExp) => pattern.exec(await (await fetch(page)).text())?.[1]
  const { stdout: status } = await start(['status']).ended
  return [
    version,
    (await start(['--version']).ended).stdout.trim(),
    /\(version (.*?),/.exec(status)?.[1],
    await find(`${url}/healthz`, /^ok (.*)$/),
    await find(`${url}/openapi.json`, /"version":"(.*?)"/),
    await find(metrics, /^service_version_info\{version="(.*?)"\} 1$/m),
  ]
}
