/** `npm run build`: compiles the service into dist, with the files that it reads at run time and the bundles for browsers. */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { buildExplorer } from './explorer.mjs'
import { DIST, PAGES, ROOT } from './paths.mjs'

const CLIENT = join(ROOT, 'client')

/** The files that the service reads at run time. */
const COPIED = ['.graphql', '.sql', '.json', '.ico']

rmSync(DIST, { recursive: true, force: true })
compile(join(ROOT, 'build'))
for (const folder of [
  'docs',
  'schema',
  join('db', 'assets'),
  join('db', 'migrations'),
  join('rest-gateway', 'openapi'),
  join('rest-gateway', 'pages'),
]) {
  cpSync(join(ROOT, folder), join(DIST, folder), { recursive: true, filter: isCopied })
}
chmodSync(join(DIST, 'cli', 'main.js'), 0o755)
buildClient()
// It reads records that were compiled.
const { buildDocs } = await import('./docs/build-docs.mjs')
await buildDocs()
await buildExplorer()

function compile(project) {
  run(process.execPath, [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', project])
}

/** Builds and packs the client. npm gives packed files a fixed time and order: the same sources are the same bytes. */
function buildClient() {
  rmSync(join(CLIENT, 'dist'), { recursive: true, force: true })
  compile(CLIENT)
  mkdirSync(PAGES, { recursive: true })
  // Settings of an npm that runs this build, such as --dry-run, are not for this package.
  const settings = ['--dry-run=false', '--ignore-scripts', '--loglevel=error']
  run('npm', ['pack', CLIENT, '--pack-destination', PAGES, ...settings])
  const { name, version } = JSON.parse(readFileSync(join(CLIENT, 'package.json'), 'utf8'))
  renameSync(join(PAGES, `${name}-${version}.tgz`), join(PAGES, `client-${version}.tgz`))
  // `partner-metrics/client` has declarations of its types as well.
  cpSync(join(CLIENT, 'dist'), join(DIST, 'client'), { recursive: true })
}

function run(command, args) {
  const output = command === 'npm' ? 'ignore' : 'inherit'
  const { status } = spawnSync(command, args, { cwd: ROOT, stdio: ['ignore', output, 'inherit'] })
  if (status !== 0) process.exit(status ?? 1)
}

function isCopied(path) {
  return statSync(path).isDirectory() || COPIED.includes(extname(path))
}
