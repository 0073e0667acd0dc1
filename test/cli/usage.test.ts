import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command as Program } from 'commander'
import { createProgram } from '../../cli/command-line'
import { Invocation } from '../../cli/invocation'
import { KINDS } from '../../imports/kinds'
import { MAIN } from '../support/build'
import { Command } from '../support/command'
import { settingsOf } from '../support/databases'
import { run, runJson } from '../support/in-process'
import { World } from '../support/world'

/** Commands, and what their usage lacks. */
const WRONG: [command: string, message: RegExp][] = [
  ['', /^Usage: partner-metrics /],
  ['bogus', /unknown command 'bogus'/],
  ['delete companies X --dryrun', /Did you mean --dry-run\?/],
  ['list asset', /did you mean "assets"\?/],
  ['import impressions x.csv --encoding utf8', /did you mean "utf-8"\?/],
  [
    'pull --url http://127.0.0.1 --key-file missing.key --to sqlite:x.db',
    /^error: --key-file missing.key does not exist\n$/,
  ],
  ['import', /missing required argument 'kind'/],
  ['import planets x.csv', /one of companies, /],
  ['import companies - -', /^error: .*standard input/],
  ['import companies x.csv --map name', /^error: .*--map/],
  ['import companies x.csv --map town=x', /^error: .*town/],
  ['import companies x.csv --set name=x --map name=y', /^error: .*name/],
  ['import companies x.csv --rejects -', /^error: .*--rejects/],
  ['import companies x.csv --wide', /^error: --wide is no option of `import companies`/],
  ['import sensors x.csv --decimal ,', /^error: --decimal is no option of `import sensors`/],
  ...[
    '--no-header',
    '--columns a,b',
    '--no-header --columns sensor,start,impressions --header-line 2',
    '--time-format DD.MM.YYYY',
    '--thousands , --decimal ,',
    '--repeated-hour both',
    '--across --sum impressions=A+B',
    "--map start='2026-+Day",
    '--serial A=S1 --set sensor=S1',
    '--comment "',
    '--wide --map sensor=A',
  ].map((options): [string, RegExp] => [`import impressions x.csv ${options}`, /^error: /]),
  ['import --dry-run all x', /--dry-run is no option of `import all`/],
  ['export all', /required option '--output <folder>' not specified/],
  ['keys', /^Usage: partner-metrics keys/],
  ['keys issue', /^error: .*--company/],
  ['keys issue --company Alder --no-company', /^error: .*--no-company/],
  ['keys issue --no-company --all-companies --scope internal:graphql:read', /^error: .*--all-companies/],
  ['keys issue --company', /^error: .*--company/],
  ...['6000', '0/min', '1.5/min', '10/minute', '10/constructor', '1000000001/s'].map((rate): [string, RegExp] => [
    `keys issue --no-company --rate ${rate}`,
    /^error: .*--rate.*6000\/min/,
  ]),
  ['keys issue --all-companies', /^error: .*--scope/],
  ['keys issue --no-company --scope everything', /^error: .*everything/],
  ['keys issue --no-company --label=', /^error: .*--label/],
  ['delete impressions --sensor S --from 2026-02-30 --to 2026-03-01 --yes', /--from .*real date/],
  ['delete impressions --sensor S --from 2026-03-02 --to 2026-03-01 --yes', /--from 2026-03-02 is after --to/],
  ['delete impressions --sensor S --from 2026-03-02 --yes', /--to <date>' not specified/],
  ['delete impressions --from 2026-03-01 --to 2026-03-01 --yes', /--sensor <sensor...>' not specified/],
  ...['0', '-1', '1.5', 'x', ''].map((months): [string, RegExp] => [
    `retain --months=${months} --yes`,
    /whole number from 1 to 1200/,
  ]),
  ['verify --since 2026-02-30', /--since .*real date/],
  ['history --limit all', /whole number from 1 to 100000/],
  ['legacy-traffic --since 2026-02-30', /--since .*It must be a real date, as YYYY-MM-DD/],
  ['legacy-traffic --since 9999-12-31', /--since must not be after today/],
]

let world: World
const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-usage-'))
beforeAll(async () => {
  world = await World.open()
})
afterAll(async () => {
  await world.stop()
  rmSync(directory, { recursive: true })
})

const pathsOf = ({ commands }: Program): string[] =>
  commands.flatMap(command => [command.name(), ...pathsOf(command).map(path => `${command.name()} ${path}`)])
const paths = pathsOf(createProgram(new Invocation([], {}, process)))
const helpOf = (path: string) => run([...path.split(' ').filter(Boolean), '--help'], {})

test('shows an example of each kind of file, which can be imported after those before it, also twice in a dry run', async () => {
  for (const kind of Object.keys(KINDS)) {
    const { stdout } = await run(['import', kind, '--help'], {})
    const [, csv = ''] = /\.csv:\n((?: {2}.+\n)+)/.exec(stdout) ?? []
    const file = join(directory, 'example.csv')
    writeFileSync(file, csv.replace(/^ {2}/gm, ''))
    const dry = await world.runJson(['import', kind, file, file, '--dry-run'])
    expect({ kind, ...dry.document.total }).toMatchObject({ kind, read: 2, stored: 1, unchanged: 1 })
    const { document } = await world.runJson(['import', kind, file])
    expect({ kind, ...document.total }).toMatchObject({ kind, read: 1, stored: 1 })
  }
})

/** Commands that change data; those of deletion and closing after all others, because they leave less to change. */
const CHANGING = paths
  .filter(path => /^(migrate|keys .|note .|retain|set-aside .|restore|verify|zones .|delete .|close)/.test(path))
  .sort((a, b) => rank(a) - rank(b))

function rank(path: string): number {
  const last = [
    'delete impressions',
    'delete origins',
    'delete demographics',
    'close',
    'delete sensors',
    'delete assets',
  ]
  return path === 'delete companies' ? last.length : last.indexOf(path)
}

test('each command that changes data has an example, which works on the files of the other examples', async () => {
  let key = ''
  expect(CHANGING.length).toBe(18)
  for (const path of CHANGING) {
    const { stdout } = await helpOf(path)
    const [, example = ''] = /^Example:\n {2}partner-metrics ((?:.+\n)+)/m.exec(stdout) ?? []
    expect([path, example]).toEqual([path, expect.stringMatching(`^${path}`)])
    const words = execFileSync('sh', ['-c', `printf '%s\\0' ${example}`], { encoding: 'utf8' })
      .split('\0')
      .slice(0, -1)
    const [note] = await world.rows('SELECT id FROM notes ORDER BY id LIMIT 1')
    const args = [...words]
    if (path === 'note remove') args.splice(-1, 1, note!.id as string)
    if (stdout.includes('--yes') && !example.includes('--dry-run')) args.push('--yes')
    const ended = await world.run(args, key)
    expect([path, ended.stderr, ended.code]).toEqual([path, '', 0])
    if (/^keys (issue|rotate)/.test(path)) [key = ''] = ended.stdout.split('\n')
  }
})

test('reports wrong usage in words, and exits with 2', async () => {
  for (const [command, message] of WRONG) {
    const { code, stdout, stderr } = await world.run(command.split(' ').filter(Boolean))
    expect([command, code, stdout, stderr]).toEqual([command, 2, '', expect.stringMatching(message)])
    expect(stderr).not.toMatch(/^ +at /m)
  }
})

test('does as a process what it does within one', async () => {
  const args = ['keys', 'rotate', 'x', '--json']
  expect(await new Command(args, settingsOf(world.database)).ended).toEqual(await world.run(args))
  expect((await run(['--version'], {})).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('a version of Node that cannot load its packages gets one sentence that names the versions', () => {
  // Older versions lack what this option switches off.
  const args = ['--no-experimental-require-module', MAIN, 'serve']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toBe(
    `error: partner-metrics requires Node.js 20.19, 22.12 or a later version, but this is ${process.version}\n`,
  )
})

test('prints one line for each invalid setting and exits with 2', async () => {
  const env = { PORT: 'x', METRICS_ENV: 'y', LOG_LEVEL: 'z' }
  for (const args of [['serve'], ['migrate'], ['list', 'keys']]) {
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

const testOnFullDisk = existsSync('/dev/full') ? test : test.skip

testOnFullDisk('a command whose output cannot be written, as on a full disk, ends with 1', () => {
  const full = openSync('/dev/full', 'w')
  try {
    const args = [MAIN, 'import', '--help']
    const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', full, 'pipe'] })
    expect([status, `${stderr}`]).toEqual([1, expect.stringMatching(/^error: the output could not be written: ENOSPC/)])
  } finally {
    closeSync(full)
  }
})
