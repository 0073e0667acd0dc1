/**
 * Builds and packs the client, for partners who install it from the service. npm gives files in packages a fixed time and order:
 * the same sources are the same bytes.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DIST, ROOT } from './paths.mjs'

const CLIENT = join(ROOT, 'client')

export function buildClient() {
  rmSync(join(CLIENT, 'dist'), { recursive: true, force: true })
  run(process.execPath, [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', CLIENT])
  const destination = join(DIST, 'pages')
  mkdirSync(destination, { recursive: true })
  // Settings of an npm that runs this build, such as --dry-run, are not for this package.
  const settings = ['--dry-run=false', '--ignore-scripts', '--loglevel=error']
  run('npm', ['pack', CLIENT, '--pack-destination', destination, ...settings])
  const { name, version } = JSON.parse(readFileSync(join(CLIENT, 'package.json'), 'utf8'))
  renameSync(join(destination, `${name}-${version}.tgz`), join(destination, `client-${version}.tgz`))
  // `partner-metrics/client` has declarations of its types as well.
  cpSync(join(CLIENT, 'dist'), join(DIST, 'client'), { recursive: true })
}

function run(command, args) {
  const { status } = spawnSync(command, args, {
    cwd: ROOT,
    stdio: ['ignore', command === 'npm' ? 'ignore' : 'inherit', 'inherit'],
  })
  if (status !== 0) process.exit(status ?? 1)
}
