/** The commands and programs of pages other than the guide, run as they are printed, on the demo data. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse as parseCsv } from 'csv-parse/sync'
import { type DemoService, startDemo } from '../../support/demo'
import { send } from '../../support/http'

const run = promisify(execFile)

const folder = mkdtempSync(join(tmpdir(), 'partner-metrics-docs-'))
let demo: DemoService
let env: Record<string, string>

beforeAll(async () => {
  demo = await startDemo()
  env = { PATH: process.env.PATH ?? '', METRICS_URL: demo.service.url, METRICS_KEY: demo.keyOf('partner') }
})
afterAll(async () => {
  await demo.service.stop()
  rmSync(folder, { recursive: true })
})

/** Returns the code blocks of a page whose info string begins so, as they are served. */
async function blocks(path: string, language: string): Promise<string[]> {
  const { text } = await send(`${demo.service.url}${path}.md`)
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

test('the Apps Script fills the sheet with text and numbers, also the second time', async () => {
  const [code = ''] = await blocks('/docs/spreadsheets', 'js Apps Script')
  const program = `${GOOGLE}${code}\nrefreshImpressions(); refreshImpressions(); console.log(JSON.stringify(sheet))`
  const { stdout } = await run(process.execPath, ['-e', program], { env, maxBuffer: 2 ** 27 })
  const { values, size } = JSON.parse(stdout)
  const [header, ...rows] = values
  expect(size).toEqual([1, 1, values.length, header.length])
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  const path = `/v1/partner/impressions?from_date=${day(30)}&to_date=${day(1)}&output=ndjson`
  const { text } = await demo.service.get(path, { key: env.METRICS_KEY as string })
  const expected = text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(header).toEqual(Object.keys(expected[0]))
  expect(rows).toEqual(expected.map(row => Object.values(row).map(value => value ?? '')))
})
