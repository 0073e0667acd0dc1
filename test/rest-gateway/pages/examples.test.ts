/** Runs the code examples of all pages against the service, as they are printed. Without python3 or curl, theirs are skipped. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startDemo } from '../../support/demo'
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

/** The services of Google that the program uses. The file is new: its sheet does not exist. */
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
  const folder = mkdtempSync(join(tmpdir(), 'partner-metrics-examples-'))
  let world: World
  let env: NodeJS.ProcessEnv

  beforeAll(async () => {
    const demo = await startDemo()
    world = demo.service
    env = { PATH: process.env.PATH, METRICS_URL: world.url, METRICS_KEY: demo.keyOf('partner') }
    // The dates that the guide sets.
    const [, dates = ''] = /^export (FROM=.*)$/m.exec(readPage('guide')) ?? []
    const { stdout } = await run('bash', ['-c', `export ${dates}; echo $FROM $TO`])
    const [FROM, TO] = stdout.trim().split(' ')
    Object.assign(env, { FROM, TO })
  })
  afterAll(async () => {
    await world.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const readPage = (name: string): string => readFileSync(join(ROOT, 'docs', `${name}.md`), 'utf8')

  /** Returns the code blocks of a page in a language. */
  const blocks = (name: string, language: string): string[] =>
    [...readPage(name).matchAll(new RegExp(`\`{3}${language}\n([\\s\\S]*?)\n\`{3}\n`, 'g'))].map(
      ([, code = '']) => code,
    )

  const bash = (code: string) =>
    run('bash', ['-e', '-c', code.replaceAll(/^curl /gm, 'curl -sS ')], { cwd: folder, env })

  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)

  /** Returns the rows of all assets from a day on to another one, as the service has them. */
  async function readRows(from: string, to: string): Promise<Record<string, string | number | null>[]> {
    const path = `/v1/partner/impressions?from_date=${from}&to_date=${to}&output=ndjson`
    const { text } = await world.get(path, { key: env.METRICS_KEY as string })
    return text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
  }

  test('the quickstart prints the company, two assets and the week that ended yesterday', async () => {
    expect([env.FROM, env.TO]).toEqual([day(7), day(1)])
    const [, code = ''] = blocks('guide', 'sh')
    const { stdout } = await bash(code)
    expect(stdout).toContain('Nordlicht')
    expect(stdout).toMatch(/"has_more":true,"limit":2/)
    const { data, total } = JSON.parse(stdout.slice(stdout.lastIndexOf('{"data"')))
    expect([data.length, data[0].date, data[6].date, total > 1_000]).toEqual([7, env.FROM, env.TO, true])
  })

  test('the requests of “When a number changed” are answered as it describes', async () => {
    const bodies = await Promise.all(
      blocks('methodology', 'sh').map(async code => JSON.parse((await bash(code)).stdout)),
    )
    const [asOf, restatements] = bodies
    expect([asOf.asset_count > 1, asOf.data.length]).toEqual([true, 7])
    expect(restatements.data).toEqual([])
  })

  test('the query for analysts is answered', async () => {
    const demo = await startDemo()
    const [code = ''] = blocks('clients', 'sh').filter(block => block.includes('/graphql'))
    const own = { ...env, METRICS_URL: demo.service.url, METRICS_KEY: demo.keyOf('analyst') }
    const { stdout } = await run('bash', ['-e', '-c', code.replace('curl ', 'curl -sS ')], { cwd: folder, env: own })
    const { assets } = JSON.parse(stdout).data
    expect(assets.impressions.total).toBeGreaterThan(1_000)
    await demo.service.stop()
  })

  test('the Apps Script fills the sheet with text and numbers, also the second time', async () => {
    const [code = ''] = blocks('clients', 'js')
    const program = `${GOOGLE}${code}\nrefreshImpressions(); refreshImpressions(); console.log(JSON.stringify(sheet))`
    const { stdout } = await run(process.execPath, ['-e', program], { env, maxBuffer: 2 ** 27 })
    const { values, size } = JSON.parse(stdout)
    const [header, ...rows] = values
    expect(size).toEqual([1, 1, values.length, header.length])
    const expected = await readRows(day(30), day(1))
    expect(header).toEqual(Object.keys(expected[0]!))
    expect(rows).toEqual(expected.map(row => Object.values(row).map(value => value ?? '')))
  })

  ;(isInstalled('python3') ? test : test.skip)(
    'the recipe for events counts them by the second and by the minute, and refuses what is no time',
    async () => {
      const [code = ''] = blocks('import', 'python count-events.py')
      const count = (...times: string[]) => {
        writeFileSync(join(folder, 'events.csv'), ['ts', ...times].join('\n'))
        return run('python3', ['-c', code], { cwd: folder })
      }
      const sensor = { serial: 'S-1', grain: 'hour', installed_at: '2020-01-01T00:00Z' } as const
      await world.make.sensor({ ...sensor, asset: await world.make.asset({ time_zone: 'Europe/Berlin' }) })
      await count('2026-03-02 08:01', '2026-03-02 08:44', '2026-03-02 09:01', '2026-03-02 08:01', '2026-03-02 11:00:59')
      const lines = readFileSync(join(folder, 'counts.csv'), 'utf8').trimEnd().split(/\r?\n/)
      expect(await world.import('impressions', lines)).toMatchObject({ errors: [], stored: 3 })
      const counted = (await world.days()).filter(({ serial }) => serial === 'S-1')
      expect(counted.map(({ date, counts }) => [date, counts.slice(7, 13)])).toEqual([
        ['2026-03-02', [-1, 3, 1, -1, 1, -1]],
      ])
      await expect(count('2026-03-02 08:01', '2.3.2026 08:01')).rejects.toThrow('not a time: 2.3.2026 08:01')
    },
  )

  describe('the programs for platforms', () => {
    const testPython = isInstalled('python3') ? test : test.skip
    const DAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY']

    async function runProgram(name: string, settings = {}): Promise<string[]> {
      const [code = ''] = blocks('buyers', `python ${name}`)
      expect(code.split('\n').length).toBeLessThan(27)
      return (await run('python3', ['-c', code], { env: { ...env, ...settings } })).stdout.trim().split(/\r?\n/)
    }

    /** Returns the rows of the typical weeks of all assets in which somebody passes. */
    async function readHours() {
      const range = `from_date=${env.FROM}&to_date=${env.TO}`
      const path = `/v1/partner/impressions/profiles?${range}&output=ndjson`
      const { text } = await world.get(path, { key: env.METRICS_KEY as string })
      const rows = text.trim().split('\n')
      return rows.map(row => JSON.parse(row)).filter(({ average_impressions }) => average_impressions > 0)
    }

    testPython(
      'Google gets an int64 for each hour with impressions, in a week that ends where the next begins',
      async () => {
        const schedules = (await runProgram('google.py')).map(line => JSON.parse(line))
        const next = (await runProgram('google.py', { TO: day(-6) })).map(line => JSON.parse(line))
        expect(schedules.map(({ endTime }) => endTime)).toEqual(next.map(({ startTime }) => startTime))
        for (const { asset_id, startTime, endTime, ...others } of schedules) {
          for (const time of [startTime, endTime]) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$/)
          expect([asset_id, Object.keys(others)]).toEqual([expect.any(String), ['units']])
        }
        const hours = (await readHours()).filter(({ average_impressions }) => average_impressions > 0.5)
        const units = schedules.flatMap(({ asset_id, units }) => units.map((unit: object) => ({ asset_id, ...unit })))
        expect(units.length).toBe(hours.length)
        for (const [i, { asset_id, weekday, hour, average_impressions }] of hours.entries()) {
          const { impressionCount, ...unit } = units[i]
          expect(unit).toEqual({ asset_id, dayOfWeek: DAYS[weekday - 1], hourOfDay: hour })
          expect(impressionCount).toMatch(/^[1-9]\d*$/)
          expect(Math.abs(impressionCount - average_impressions)).toBeLessThanOrEqual(0.5)
        }
      },
    )

    testPython('Broadsign gets the hourly impressions of each screen and weekday, none of them 0', async () => {
      const hours = await readHours()
      const own = hours[0].asset_id
      await world.owner.query(`UPDATE assets SET external_ids = '{"broadsign": "93726"}' WHERE id = $1`, [own])
      const [header, ...lines] = (await runProgram('broadsign.py')).map(line => line.split(','))
      const times = Array.from({ length: 24 }, (_, hour) => `${hour}:00`.padStart(5, '0'))
      expect(header).toEqual(['screen_id', 'weekday', ...times])
      const played = lines.flatMap(([screen, weekday, ...values]) =>
        values.flatMap((value, hour) => (value ? [[screen, Number(weekday), hour, Number(value)]] : [])),
      )
      const screenOf = (id: string) => (id === own ? '93726' : id)
      expect(played).toEqual(hours.map(row => [screenOf(row.asset_id), row.weekday, row.hour, row.average_impressions]))
    })
  })

  describe('the Python program', () => {
    /** Returns the expected content of the copy: impressions by asset and date. */
    async function expectedDays(): Promise<Record<string, unknown>> {
      const rows = await readRows(day(20), day(0))
      return Object.fromEntries(rows.map(row => [`${row.asset_id} ${`${row.start}`.slice(0, 10)}`, row.impressions]))
    }

    /** Restates a day of one asset, erases a day of another, and deletes a third one. */
    async function change(): Promise<void> {
      const [first, second, third] = [...new Set((await readRows(day(2), day(1))).map(row => row.asset_id as string))]
      const where = (id?: string) =>
        `WHERE date = '${day(3)}' AND asset = (SELECT number FROM assets WHERE id = '${id}')`
      await world.owner.query(`UPDATE sensor_days SET impressions = impressions + 7 ${where(first)}`)
      await world.owner.query(`DELETE FROM sensor_days ${where(second)}`)
      expect((await world.run(['delete', 'assets', third as string, '--yes'])).code).toBe(0)
    }

    /** Changes the data as a restored backup does: what was followed is lost, and the cursors with it. */
    async function restore(): Promise<void> {
      await world.owner.query(`
        BEGIN; SET LOCAL session_replication_role = replica;
        UPDATE transactions SET mark = gen_random_uuid();
        UPDATE asset_months SET day_1 = day_1 + 1, day_15 = day_15 + 1;
        COMMIT`)
    }

    const SQLITE = `import json, sqlite3
rows = sqlite3.connect("copy.sqlite").execute("SELECT asset_id || ' ' || date, impressions FROM impressions")
print(json.dumps(dict(rows.fetchall())))`

    ;(isInstalled('python3') ? test : test.skip)(
      'keeps a copy that is exact after interruptions, restatements, deletions and a restore, in less than 60 lines',
      async () => {
        const [program = ''] = blocks('guide', 'python copy.py')
        expect(program.split('\n').length).toBeLessThan(60)
        writeFileSync(join(folder, 'copy.py'), program)
        const start = (options = {}) =>
          run('python3', ['copy.py'], { cwd: folder, env: { ...env, FROM: day(20) }, ...options })
        const interrupt = (timeout: number) => start({ timeout, killSignal: 'SIGKILL' }).catch(() => {})
        const expectCopy = async () => {
          expect((await start()).stdout).toMatch(/^\d+ changes, \d+ rows copied$/m)
          const { stdout } = await run('python3', ['-c', SQLITE], { cwd: folder })
          expect(JSON.parse(stdout)).toEqual(await expectedDays())
        }
        await interrupt(250)
        await expectCopy()
        expect((await start()).stdout).toBe('0 changes, 0 rows copied\n')
        await change()
        await interrupt(300)
        await expectCopy()
        await restore()
        await expectCopy()
      },
    )
  })
})
