/** Runs the code examples of all pages against the service, as they are printed. Without python3 or curl, theirs are skipped. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type DemoService, startDemo } from '../../support/demo'
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

describe('the code examples', () => {
  const folder = mkdtempSync(join(tmpdir(), 'partner-metrics-examples-'))
  let demo: DemoService
  let world: World
  let env: NodeJS.ProcessEnv

  beforeAll(async () => {
    demo = await startDemo()
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
    const [code = ''] = blocks('clients', 'sh').filter(block => block.includes('/graphql'))
    const own = { ...env, METRICS_KEY: demo.keyOf('analyst') }
    const { stdout } = await run('bash', ['-e', '-c', code.replace('curl ', 'curl -sS ')], { cwd: folder, env: own })
    const { assets } = JSON.parse(stdout).data
    expect(assets.impressions.total).toBeGreaterThan(1_000)
  })

  ;(isInstalled('python3') ? test : test.skip)(
    'the programs for platforms print the hours with impressions',
    async () => {
      const runProgram = async (name: string): Promise<string[]> => {
        const [code = ''] = blocks('buyers', `python ${name}`)
        return (await run('python3', ['-c', code], { env })).stdout.trim().split(/\r?\n/)
      }
      const path = `/v1/partner/impressions/profiles?from_date=${env.FROM}&to_date=${env.TO}&output=ndjson`
      const { text } = await world.get(path, { key: env.METRICS_KEY as string })
      const rows = text.trim().split('\n')
      const hours = rows.map(row => JSON.parse(row).average_impressions).filter(average => average > 0)
      const google = (await runProgram('google.py')).flatMap(line => JSON.parse(line).units)
      // An int64, which rounds.
      expect(google).toHaveLength(hours.filter(average => average > 0.5).length)
      for (const { impressionCount } of google) expect(impressionCount).toMatch(/^[1-9]\d*$/)
      const broadsign = (await runProgram('broadsign.py')).slice(1).flatMap(line => line.split(',').slice(2))
      expect(broadsign.filter(Boolean).map(Number)).toEqual(hours)
    },
  )

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
      'keeps a copy that is exact after restatements, deletions and a restore, in less than 60 lines',
      async () => {
        const [program = ''] = blocks('guide', 'python copy.py')
        expect(program.split('\n').length).toBeLessThan(60)
        writeFileSync(join(folder, 'copy.py'), program)
        const start = () => run('python3', ['copy.py'], { cwd: folder, env: { ...env, FROM: day(20) } })
        const expectCopy = async () => {
          expect((await start()).stdout).toMatch(/^\d+ changes, \d+ rows copied$/m)
          const { stdout } = await run('python3', ['-c', SQLITE], { cwd: folder })
          expect(JSON.parse(stdout)).toEqual(await expectedDays())
        }
        await expectCopy()
        expect((await start()).stdout).toBe('0 changes, 0 rows copied\n')
        await change()
        await expectCopy()
        await restore()
        await expectCopy()
      },
    )
  })
})
