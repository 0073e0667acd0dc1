/** The package as partners install it: packed by npm, and used by the program of its documentation. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildBeforeAll } from '../support/build'
import { Service } from '../support/service'

const ROOT = join(__dirname, '..', '..')

const PACKED = ['openapi-fetch', 'openapi-typescript-helpers', '@types']

const run = promisify(execFile)

buildBeforeAll()

test('the packed client compiles in strict mode, and reads pages and streams', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'partner-metrics-package-'))
  const service = await Service.start()
  try {
    const { make } = service
    const company = await make.company('Alder')
    const key = await make.key([company])
    const sensor = await make.sensor({ asset: await make.asset({ company, name: 'Bridge' }), grain: 'day' })
    await make.counts(sensor, '2026-03-29', () => 41)
    // dist is built already.
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT })
    await run('sh', ['-c', 'tar -xzf *.tgz'], { cwd: folder })
    mkdirSync(join(folder, 'node_modules'))
    renameSync(join(folder, 'package'), join(folder, 'node_modules', 'partner-metrics'))
    for (const name of PACKED) symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
    const page = readFileSync(join(ROOT, 'rest-gateway', 'docs', 'copies.md'), 'utf8')
    writeFileSync(join(folder, 'program.ts'), /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? '')
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
    const options = ['--strict', '--target', 'es2023', '--module', 'nodenext', '--types', 'node', 'program.ts']
    await run(process.execPath, [compiler, ...options], { cwd: folder }).catch(({ stdout }) => {
      throw new Error(stdout)
    })
    const env = { PATH: process.env.PATH, METRICS_URL: service.url, METRICS_KEY: key }
    const { stdout } = await run(process.execPath, ['program.js'], { cwd: folder, env })
    expect(stdout).toMatch(/^Alder\n\w+ Bridge \([\w/]+\)\n41 impressions\n$/)
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true })
  }
}, 240_000)
