import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { OPS, runProgram, testWith } from '../support/debian'

const inOps = (name: string): string => join(OPS, name)

testWith('promtool')('Prometheus accepts the alerts', () => {
  const { status, output } = runProgram('promtool', ['check', 'rules', inOps('alerts.yml')])
  expect([status, output]).toEqual([0, expect.stringContaining('SUCCESS')])
})

testWith('promtool')('each alert fires when it should, and none on a healthy service', () => {
  const { status, output } = runProgram('promtool', ['test', 'rules', inOps('alerts.test.yml')])
  expect([status, output]).toEqual([0, expect.stringContaining('SUCCESS')])
})

test('each alert is tested', () => {
  const names = (file: string, pattern: RegExp) =>
    [...readFileSync(inOps(file), 'utf8').matchAll(pattern)].map(([, name]) => name).sort()
  const alerts = names('alerts.yml', /- alert: (\w+)/g)
  expect(alerts.length).toBeGreaterThan(10)
  expect(names('alerts.test.yml', /alertname="(\w+)"/g)).toEqual(alerts)
})

testWith('systemd-analyze')('systemd accepts the units', () => {
  const folder = mkdtempSync(join(tmpdir(), 'units-'))
  const units = readdirSync(inOps('systemd')).map(name => join(folder, name))
  for (const unit of units) copyFileSync(join(OPS, 'systemd', basename(unit)), unit)
  // Node may be installed elsewhere.
  for (const unit of units) writeFileSync(unit, readFileSync(unit, 'utf8').replace('/usr/bin/node', process.execPath))
  expect(runProgram('systemd-analyze', ['verify', ...units])).toEqual({ status: 0, output: '' })
  rmSync(folder, { recursive: true })
})

test('the files that Docker Compose mounts exist, and Bash can read the script', () => {
  const [, script = ''] = /- \.\/(\S+?):\/docker-entrypoint/.exec(readFileSync(inOps('compose.yaml'), 'utf8')) ?? []
  expect(existsSync(inOps(script))).toBe(true)
  expect(runProgram('bash', ['-n', inOps(script)])).toEqual({ status: 0, output: '' })
})
