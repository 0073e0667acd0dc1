import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { MAIN } from '../support/build'
import { settingsOf } from '../support/databases'
import { type Env, run } from '../support/in-process'
import { World } from '../support/world'

jest.setTimeout(60_000)

describe('partner-metrics export', () => {
  const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-export-'))
  const RANGE = ['--from', '2026-03-28', '--to', '2026-03-30']
  let world: World
  let env: Env
  let key: string

  beforeAll(async () => {
    world = await World.open()
    env = { ...settingsOf(world.database), METRICS_ENV: 'dev' }
    const { make } = world
    const [alder, birch] = [await make.company('Alder'), await make.company('Birch')]
    for (const company of [alder, alder, birch]) {
      const sensor = await make.sensor({ asset: await make.asset({ company }), grain: 'hour' })
      await make.counts(sensor, '2026-03-29', hour => hour)
    }
    key = await make.key([alder])
  })
  afterAll(async () => {
    await world.stop()
    rmSync(directory, { recursive: true })
  })

  const exportImpressions = (...args: string[]) => run(['export', 'impressions', ...RANGE, ...args], env)

  const rowsOfRoute = async (output: string, grain = 'day') => {
    const path = `/v1/partner/impressions?from_date=2026-03-28&to_date=2026-03-30&grain=${grain}&output=${output}`
    return (await world.get(path, { key })).text
  }

  test('writes the rows of the route to stdout, and their number to stderr', async () => {
    for (const format of ['csv', 'excel', 'ndjson']) {
      const result = await exportImpressions('--company', 'Alder', '--output-format', format, '--grain', 'hour')
      expect(result).toEqual({ code: 0, stdout: await rowsOfRoute(format, 'hour'), stderr: '142 rows exported\n' })
    }
  })

  test('loses nothing where the reader of its output is slow', async () => {
    // More than a pipe holds, in one part.
    const args = ['export', 'impressions', '--from', '2026-01-01', '--to', '2026-04-10', '--grain', 'hour']
    const expected = await run([...args, '--output-format', 'csv'], env)
    const slow = spawn(process.execPath, [MAIN, ...args, '--output-format', 'csv'], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    // It writes, and nobody reads.
    await once(slow.stdout, 'readable')
    const text = await slow.stdout.setEncoding('utf8').toArray()
    expect(text.join('').length).toBe(expected.stdout.length)
  })

  test('writes a file, which has its name only when it is complete', async () => {
    const file = join(directory, 'all.parquet')
    expect(await exportImpressions('--output-format', 'parquet', '--output', file)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '9 rows exported\n',
    })
    const bytes = readFileSync(file)
    const rows = await parquetReadObjects({
      file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer,
    })
    expect(rows.filter(({ impressions }) => impressions === 253n)).toHaveLength(3)
    expect(readdirSync(directory)).toEqual(['all.parquet'])
  })

  test.each([
    [['--company', 'Aldar', '--output-format', 'csv'], 1, /there is no company .*"Aldar": did you mean "Alder"\?/],
    [['--output-format', 'csv', '--from', '2026-02-30'], 2, /--from .*It must be a real date, as YYYY-MM-DD/],
    [['--output-format', 'csv', '--from', '2026-04-01'], 2, /error: --from 2026-04-01 is after --to /],
    [['--output-format', 'csv', '--from', '2010-01-01'], 2, 'error: The range has 5933 days; 3660 are allowed here.\n'],
    [['--output-format', 'xlsx'], 2, /Allowed choices are csv, excel, ndjson, parquet/],
    [['--output-format', 'csv', '--output', '/nowhere/x.csv'], 1, /^error: \/nowhere\/x.csv cannot be written to: /],
  ])('%j is an error', async (args, code, message) => {
    const result = await exportImpressions(...args)
    expect(result.code).toBe(code)
    if (typeof message === 'string') expect(result.stderr).toBe(message)
    else expect(result.stderr).toMatch(message)
    expect(existsSync(join(directory, 'x.csv.partial'))).toBe(false)
  })
})
