/** Pastes what CONTRIBUTING says about a new endpoint, in the order in which it is printed, into a copy of the source code. */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(__dirname, '..', '..')
const copy = mkdtempSync(join(tmpdir(), 'partner-metrics-endpoint-'))

jest.setTimeout(900_000)

beforeAll(() => {
  for (const file of execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' })
    .split('\0')
    .filter(Boolean))
    cpSync(join(ROOT, file), join(copy, file))
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

test('an endpoint is added by pasting', async () => {
  const [, section = ''] =
    /^## Add an endpoint\n([\s\S]*?)^4\. /m.exec(readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')) ?? []
  const blocks = [...section.matchAll(/^ {3}```(\w+)\n([\s\S]*?)^ {3}```/gm)].map(([, , text = '']) =>
    text.replace(/^ {3}/gm, ''),
  )
  const [record = '', generate = '', test = '', run = ''] = blocks
  expect(blocks).toHaveLength(4)
  const routes = join(copy, 'rest-gateway', 'routes', 'assets.ts')
  const source = readFileSync(routes, 'utf8')
  writeFileSync(routes, source.replace(/\]\n*$/, `${record}]\n`))
  // Without what this Jest tells its processes.
  const bash = (code: string) =>
    promisify(execFile)('bash', ['-e', '-c', code], { cwd: copy, env: { PATH: process.env.PATH } })
  await bash(generate)
  expect(readFileSync(join(copy, 'client', 'generated.ts'), 'utf8')).toContain('/v1/partner/sensors/count')
  writeFileSync(join(copy, 'test', 'rest-gateway', 'routes', 'count.test.ts'), test)
  expect((await bash(run)).stderr).toContain('1 passed')
})
