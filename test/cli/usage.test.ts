import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { KINDS } from '../../imports/kinds'
import { MAIN } from '../support/build'
import { Command } from '../support/command'
import { createDatabase, settingsOf } from '../support/databases'
import { run, runJson } from '../support/in-process'

const COMMANDS = [
  [],
  ['serve'],
  ['migrate'],
  ['demo'],
  ['import'],
  ['import', 'all'],
  ['pull'],
  ['keys'],
  ['keys', 'issue'],
  ['keys', 'rotate'],
  ['keys', 'deactivate'],
  ['keys', 'list'],
  ['keys', 'show'],
  ['list'],
  ['show'],
  ['delete'],
  ['delete', 'companies'],
  ['delete', 'assets'],
  ['delete', 'sensors'],
  ['delete', 'impressions'],
  ['delete', 'origins'],
  ['delete', 'demographics'],
  ['retain'],
  ['export'],
  ['export', 'all'],
  ['export', 'impressions'],
  ['status'],
  ['verify'],
  ['history'],
  ['legacy-traffic'],
  ['completion'],
]

describe('the command line', () => {
  test.each(COMMANDS.map(command => [command]))('prints its usage: %j --help', async command => {
    const { code, stdout, stderr } = await run([...command, '--help'], {})
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(new RegExp(`^Usage: ${['partner-metrics', ...command].join(' ')} `))
  })

  test('prints the columns of each kind of file', async () => {
    const { stdout } = await run(['import', '--help'], {})
    for (const [kind, { columns }] of Object.entries(KINDS)) {
      expect(stdout).toMatch(new RegExp(`^ +${kind} +${columns.join(', ')}$`, 'm'))
    }
  })

  test('shows an example of each kind of file, which can be imported after those before it', async () => {
    const database = await createDatabase()
    for (const kind of Object.keys(KINDS)) {
      const { stdout } = await run(['import', kind, '--help'], {})
      const [, csv = ''] = /\.csv:\n((?: {2}.+\n)+)/.exec(stdout) ?? []
      expect(stdout).toContain(`partner-metrics import ${kind} ${kind}.csv`)
      const { document } = await runJson(['import', kind, '-'], settingsOf(database), csv.replace(/^ {2}/gm, ''))
      expect({ kind, ...document.total }).toMatchObject({ kind, read: 1, stored: 1 })
    }
    await database.drop()
  })

  test('prints its version', async () => {
    const version = { code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: '' }
    expect(await run(['--version'], {})).toEqual(version)
    expect(await new Command(['--version'], {}).ended).toEqual(version)
  })

  test.each([
    [['bogus'], /unknown command 'bogus'/],
    [['serve', '--bogus'], /unknown option '--bogus'/],
    [['import', 'bogus', 'file'], /choices are companies, /],
    [['keys'], /Usage: partner-metrics keys/],
    [[], /Usage: partner-metrics/],
  ])('reports wrong usage of %j and exits with 2', async (args, message) => {
    const { code, stdout, stderr } = await run(args, {})
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(message)
  })

  test('does as a process what it does within one', async () => {
    const database = await createDatabase()
    const env = settingsOf(database)
    const commands = [['keys', 'list'], ['keys', 'rotate', 'x', '--json'], ['show', 'planets', 'x'], ['history'], []]
    for (const args of commands) expect(await new Command(args, env).ended).toEqual(await run(args, env))
    await database.drop()
  })

  test('prints control characters of arguments as escapes', async () => {
    const { code, stderr } = await run(['bogus\u001b[2J\u0007\u009b'], {})
    expect([code, stderr]).toEqual([2, "error: unknown command 'bogus\\u001b[2J\\u0007\\u009b'\n"])
  })

  describe('in a version of Node that cannot load its packages', () => {
    test('prints one sentence that names the versions', () => {
      // Older versions lack what this option switches off.
      const args = ['--no-experimental-require-module', MAIN, 'serve']
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
      expect([status, stdout]).toEqual([1, ''])
      expect(stderr).toBe(
        `error: partner-metrics requires Node.js 20.19, 22.12 or a later version, but this is ${process.version}\n`,
      )
    })

    test('has an entry point whose syntax old versions know', () => {
      const esbuild = join(MAIN, '..', '..', '..', 'node_modules', '.bin', 'esbuild')
      const compile = (target: string) => execFileSync(esbuild, [MAIN, `--target=${target}`], { encoding: 'utf8' })
      expect(compile('es2015')).toBe(compile('esnext'))
    })
  })

  test('prints one line for each invalid setting and exits with 2', async () => {
    const env = { PORT: 'x', METRICS_ENV: 'y', LOG_LEVEL: 'z' }
    for (const args of [['serve'], ['migrate'], ['keys', 'list']]) {
      const { code, stdout, stderr } = await run(args, env)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr.trimEnd().split('\n')).toEqual([
        expect.stringMatching(/^error: PORT /),
        expect.stringMatching(/^error: METRICS_ENV /),
        expect.stringMatching(/^error: LOG_LEVEL /),
      ])
    }
    const { code, document } = await runJson(['migrate'], { PORT: 'x' })
    expect(code).toBe(2)
    expect(document).toEqual({ error: { code: 'INVALID_SETTINGS', message: expect.stringMatching(/^PORT is "x"/) } })
  })
})

const testOnFullDisk = existsSync('/dev/full') ? test : test.skip

testOnFullDisk('a command whose output cannot be written, as on a full disk, ends with 1', () => {
  const full = openSync('/dev/full', 'w')
  try {
    for (const args of [['completion', 'bash'], ['--version']]) {
      const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], { stdio: ['ignore', full, 'pipe'] })
      expect([status, `${stderr}`]).toEqual([
        1,
        expect.stringMatching(/^error: the output could not be written: ENOSPC/),
      ])
    }
  } finally {
    closeSync(full)
  }
})
