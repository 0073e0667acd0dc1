/**
 * `npm run bench`: installs the dependencies of the peers, builds the service (unless its sources are unchanged) and the
 * benchmarks, and starts main.ts.
 */
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isCurrent } from '../build/is-current.cjs'

const bench = dirname(fileURLToPath(import.meta.url))
const root = dirname(bench)

function run(program, ...args) {
  const { status } = spawnSync(program, args, { cwd: root, stdio: ['ignore', 2, 'inherit'] })
  if (status !== 0) process.exit(status ?? 1)
}

if (process.argv.includes('--growth')) {
  const env = { ...process.env, SOAK: '1', GROWTH: '1' }
  const test = ['--selectProjects', 'integration', '--runTestsByPath', 'test/db/growth/growth.test.ts']
  const { status } = spawnSync(join(root, 'node_modules/.bin/jest'), test, { cwd: root, env, stdio: 'inherit' })
  process.exit(status ?? 1)
}
if (!isInstalled()) run('npm', 'ci', '--prefix', bench, '--no-audit', '--no-fund')
if (!isCurrent()) run('npm', 'run', '--silent', 'build')
run(process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', 'bench')
const main = spawnSync(process.execPath, [join(root, 'dist/bench/main.js'), ...process.argv.slice(2)], {
  stdio: 'inherit',
})
process.exit(main.status ?? 1)

/** Whether node_modules is newer than the lock file. */
function isInstalled() {
  const installed = statSync(join(bench, 'node_modules/.package-lock.json'), { throwIfNoEntry: false })
  return installed !== undefined && installed.mtimeMs >= statSync(join(bench, 'package-lock.json')).mtimeMs
}
