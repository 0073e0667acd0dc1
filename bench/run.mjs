/** `npm run bench`: brings what the peers need, compiles, and measures. main.ts tells the options. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const bench = dirname(fileURLToPath(import.meta.url))
const root = dirname(bench)

function perform(program, ...args) {
  const { status } = spawnSync(program, args, { cwd: root, stdio: ['ignore', 2, 'inherit'] })
  if (status !== 0) process.exit(status ?? 1)
}

if (!existsSync(join(bench, 'node_modules'))) perform('npm', 'ci', '--prefix', bench, '--no-audit', '--no-fund')
if (!existsSync(join(root, 'dist/cli/main.js'))) perform('npm', 'run', '--silent', 'build')
// The service's own code is compiled with it, as far as it has changed.
perform(process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', 'bench')
const main = spawnSync(process.execPath, [join(root, 'dist/bench/main.js'), ...process.argv.slice(2)], {
  stdio: 'inherit',
})
process.exit(main.status ?? 1)
