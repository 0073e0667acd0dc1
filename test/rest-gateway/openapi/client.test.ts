/** Runs the code examples of all pages against the service, as they are printed. Without python3 or curl, theirs are skipped. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse as parseCsv } from 'csv-parse/sync'
import { ASSETS } from '../../../db/seeds/demo/assets'
import { startDemo } from '../../support/demo'
import { send } from '../../support/http'
import type { World } from '../../support/world'

const ROOT = join(__dirname, '..', '..', '..')

const run = promisify(execFile)

// Programs are generated, compiled and run by other processes, which take a minute on a busy machine.
jest.setTimeout(180_000)

/** Returns whether a program is installed. Warns if not. */
function isInstalled(program: string): boolean {
  const found = spawnSync(program, ['--version']).status === 0
  if (!found) console.warn(`${program} is not installed: its example was not run`)
  return found
}

/** Changes to the client that must not compile. */
const MISTAKES = [
  ['an unknown path', "'/v1/partner/assets'", "'/v1/partner/faces'"],
  ['an unknown grain', "'quarter_hour'", "'fortnight'"],
  ['a code that the route never returns', "'GRAIN_NOT_AVAILABLE'", "'INSUFFICIENT_SCOPE'"],
  ['a detail that no error has', 'details.finest_grain', 'details.sum'],
  ['an unknown field', 'data.total', 'data.sum'],
] as const

/** What Google provides to a script, as far as the program uses it. The file is new: its sheet does not exist. */
const GOOGLE = `
const { execFileSync } = require('node:child_process')
const { parse } = require(${JSON.stringify(require.resolve('csv-parse/sync'))})
let sheet = null
const range = { setValues: values => (sheet.values = values) }
const PropertiesService = { getScriptProperties: () => ({ getProperties: () => process.env }) }
const Utilities = { parseCsv: text => parse(text) }
const SpreadsheetApp = { getActive: () => ({
  getSheetByName: () => sheet,
  insertSheet: () => (sheet = { clearContents: () => delete sheet.values, getRange: (...size) => ({ ...range, size: (sheet.size = size) }) }),
}) }
const UrlFetchApp = { fetch(url, { headers }) {
  const options = Object.entries(headers).flatMap(([name, value]) => ['-H', name + ': ' + value])
  const text = execFileSync('curl', ['-sS', ...options, '-w', '%{http_code}', url], { maxBuffer: 2 ** 27 }).toString()
  return { getResponseCode: () => Number(text.slice(-3)), getContentText: () => text.slice(0, -3) }
} }
`

describe('the code examples', () => {
  const folder = mkdtempSync(join(tmpdir(), 'partner-metrics-client-'))
  let world: World
  let guide: string
  /** The client of the quickstart. */
  let typescript: string
  let env: NodeJS.ProcessEnv
  /** The compiler errors of a program. */
  let errorsIn: (name: string) => string[]
  const nameOf = (mistake: string) => mistake.replaceAll(' ', '-')

  beforeAll(async () => {
    const demo = await startDemo()
    world = demo.service
    guide = (await send(`${world.url}/docs/guide.md`)).text
    env = {
      PATH: process.env.PATH,
      METRICS_URL: world.url,
      METRICS_KEY: demo.keyOf('partner'),
    }
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const cli = join(ROOT, 'node_modules', 'openapi-typescript', 'bin', 'cli.js')
    await run(process.execPath, [cli, `${world.url}/openapi.json`, '--output', join(folder, 'metrics.ts')])
    typescript = example('TypeScript')
    const wrong = MISTAKES.map(([what, right, wrong]) => [nameOf(what), typescript.replace(right, wrong)])
    const copy = example('TypeScript', 'Keep a copy')
    errorsIn = await compile({ client: typescript, copy, ...Object.fromEntries(wrong) })
  })
  afterAll(async () => {
    await world.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const expectedAssets = ASSETS.filter(({ company_id }) => company_id.startsWith('Nordlicht'))

  /** Returns a code example of the guide, as it is served. @param section the text that precedes it */
  function example(name: string, section = 'Quickstart'): string {
    const [, behind = ''] = guide.split(`\n## ${section}\n`)
    const [, code] = new RegExp(`\n\`{3}\\w+ ${name}\n([\\s\\S]*?)\n\`{3}\n`).exec(behind) ?? []
    if (code === undefined) throw new Error(`the guide has no example for ${name}`)
    return code
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
  })

  test.each(MISTAKES)('the TypeScript client does not compile with %s', (what, right) => {
    expect(typescript).toContain(right)
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
      // The guide shows this response.
      const [, shown = ''] = /the response is:\s+```json\n([\s\S]*?)\n```/.exec(guide) ?? []
      expect(JSON.parse(stdout.slice(stdout.lastIndexOf('{"data"')))).toEqual(JSON.parse(shown))
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

  /** Returns the code blocks of a page whose info string begins so, as they are served. */
  async function blocks(path: string, language: string): Promise<string[]> {
    const { text } = await send(`${world.url}${path}.md`)
    return [...text.matchAll(new RegExp(`\`{3}${language}.*\n([\\s\\S]*?)\n\`{3}\n`, 'g'))].map(([, code = '']) => code)
  }

  const bash = (code: string) => run('bash', ['-e', '-c', code], { cwd: folder, env })

  test('the requests of “When a number changed” are answered as it describes', async () => {
    const codes = await blocks('/docs/changed-numbers', 'sh curl')
    const bodies = await Promise.all(codes.map(async code => JSON.parse((await bash(code)).stdout)))
    const [meta, asOf, restatements] = bodies
    expect(meta.companies.map(({ name }: { name: string }) => name)).toEqual(['Nordlicht Außenwerbung'])
    // The demo has just been loaded: of the day before, nothing is known.
    expect(asOf.error).toMatchObject({ code: 'INVALID_PARAMETER', details: { parameter: 'as_of' } })
    expect(restatements.data).toEqual([])
  })

  test('the file for Excel begins with a byte order mark and has the rows of the last 30 days', async () => {
    const [code = ''] = await blocks('/docs/spreadsheets', 'sh')
    await bash(code)
    const text = readFileSync(join(folder, 'impressions.csv'), 'utf8')
    const rows: object[] = parseCsv(text, { bom: true, columns: true })
    expect([text.charCodeAt(0), rows.length > 100, Object.keys(rows[0] ?? {})]).toEqual([
      0xfeff,
      true,
      expect.arrayContaining(['start', 'impressions', 'coverage']),
    ])
  })

  test('the Apps Script fills the sheet with text and numbers, also the second time', async () => {
    const [code = ''] = await blocks('/docs/spreadsheets', 'js Apps Script')
    const program = `${GOOGLE}${code}\nrefreshImpressions(); refreshImpressions(); console.log(JSON.stringify(sheet))`
    const { stdout } = await run(process.execPath, ['-e', program], { env, maxBuffer: 2 ** 27 })
    const { values, size } = JSON.parse(stdout)
    const [header, ...rows] = values
    expect(size).toEqual([1, 1, values.length, header.length])
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
    const path = `/v1/partner/impressions?from_date=${day(30)}&to_date=${day(1)}&output=ndjson`
    const { text } = await world.get(path, { key: env.METRICS_KEY as string })
    const expected = text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(header).toEqual(Object.keys(expected[0]))
    expect(rows).toEqual(expected.map(row => Object.values(row).map(value => value ?? '')))
  })

  describe('a nightly copy', () => {
    const FIRST_DAY = new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10)
    const copyEnv = () => ({ ...env, FIRST_DAY })

    /** Returns the expected content of the copy: impressions by asset and date. */
    async function expectedDays(): Promise<Record<string, number | null>> {
      const today = new Date().toISOString().slice(0, 10)
      const path = `/v1/partner/impressions?from_date=${FIRST_DAY}&to_date=${today}&output=ndjson`
      const { text } = await world.get(path, { key: env.METRICS_KEY as string })
      const rows = text
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
      return Object.fromEntries(rows.map(row => [`${row.asset_id} ${row.start.slice(0, 10)}`, row.impressions]))
    }

    /** Restates a day of one asset, erases a day of another, changes a record, and deletes an asset. */
    async function change(): Promise<void> {
      const ids = Object.keys(await expectedDays()).map(name => name.split(' ')[0] as string)
      const [first, second, third, fourth] = [...new Set(ids)]
      const day = `(SELECT max(date) - 3 FROM sensor_days d WHERE d.asset = a.number)`
      const { owner } = world
      const where = 'a WHERE a.id = $1'
      await owner.query(
        `UPDATE sensor_days s SET impressions = impressions + 7 FROM assets ${where} AND s.asset = a.number AND date = ${day}`,
        [first],
      )
      await owner.query(`DELETE FROM sensor_days s USING assets ${where} AND s.asset = a.number AND date = ${day}`, [
        second,
      ])
      await owner.query(`UPDATE assets SET name = name || ' (new)' WHERE id = $1`, [third])
      for (const statement of [
        'DELETE FROM sensor_days WHERE asset = (SELECT number FROM assets WHERE id = $1)',
        'DELETE FROM origin_months WHERE asset = (SELECT number FROM assets WHERE id = $1)',
        'DELETE FROM demographic_days WHERE asset = (SELECT number FROM assets WHERE id = $1)',
        'DELETE FROM installations WHERE asset = (SELECT number FROM assets WHERE id = $1)',
        'UPDATE sensors SET asset = NULL, company = NULL WHERE asset_id = $1',
        'DELETE FROM assets WHERE id = $1',
      ]) {
        await owner.query(statement, [fourth])
      }
    }

    /** Changes a copy's data as a restored backup does: a day that was followed is lost, and the cursors with it. */
    async function restore(): Promise<void> {
      const [first] = Object.keys(await expectedDays()).map(name => name.split(' ')[0] as string)
      const client = await world.owner.connect()
      await client.query('BEGIN; SET LOCAL session_replication_role = replica')
      await client.query(`UPDATE feed_transactions SET mark = gen_random_uuid()`)
      await client.query(
        'UPDATE asset_months SET day_1 = day_1 + 1, day_15 = day_15 + 1 WHERE asset = (SELECT number FROM assets WHERE id = $1)',
        [first],
      )
      await client.query('COMMIT')
      client.release()
    }

    const readJson = (...path: string[]) => JSON.parse(readFileSync(join(folder, 'copy', ...path), 'utf8'))

    const SQLITE = `import json, sqlite3
rows = sqlite3.connect("copy.sqlite").execute("SELECT asset_id || ' ' || date, impressions FROM impressions")
print(json.dumps(dict(rows.fetchall())))`

    /** The programs, and how to read what they have copied: impressions by asset and date. */
    const COPIES = {
      async python3() {
        writeFileSync(join(folder, 'copy.py'), example('Python', 'Keep a copy'))
        const read = async () => JSON.parse((await run('python3', ['-c', SQLITE], { cwd: folder })).stdout)
        return { command: ['python3', 'copy.py'], read }
      },
      async node() {
        expect(errorsIn('copy')).toEqual([])
        const read = async () => {
          const files = readdirSync(join(folder, 'copy')).filter(name => name.endsWith('.json'))
          const days = files.flatMap(name =>
            Object.entries<{ impressions: number | null }>(readJson(name)).map(([date, { impressions }]) => [
              `${name.slice(0, -5)} ${date}`,
              impressions,
            ]),
          )
          return Object.fromEntries(days)
        }
        return { command: [process.execPath, 'copy.js'], read }
      },
      async curl() {
        rmSync(join(folder, 'copy'), { recursive: true, force: true })
        const read = async () => {
          const [, ...rows] = parseCsv(readFileSync(join(folder, 'copy', 'impressions.csv'), 'utf8')) as string[][]
          return Object.fromEntries(
            rows.map(([id, start = '', count]) => [`${id} ${start.slice(0, 10)}`, count === '' ? null : Number(count)]),
          )
        }
        return { command: ['bash', '-e', '-c', example('curl', 'Keep a copy')], read }
      },
    }

    for (const [name, prepare] of Object.entries(COPIES)) {
      const testInstalled = isInstalled(name) ? test : test.skip
      testInstalled(`with ${name} is exact after interruptions, restatements, deletions and a restore`, async () => {
        const { command, read } = await prepare()
        const [program = '', ...args] = command
        const start = (options = {}) => run(program, args, { cwd: folder, env: copyEnv(), ...options })
        /** Runs the program and kills it after some milliseconds. A shell would leave what it has started. */
        const interrupt = (timeout: number) =>
          name === 'curl' ? undefined : start({ timeout, killSignal: 'SIGKILL' }).catch(() => {})
        const expectCopy = async () => {
          await start()
          expect(await read()).toEqual(await expectedDays())
        }
        await interrupt(250)
        await expectCopy()
        expect((await start()).stdout).toBe('0 changes\n')
        await change()
        await interrupt(300)
        await expectCopy()
        await restore()
        await expectCopy()
      })
    }
  })
})
