/** `npm run build`: compiles the service into dist, with the files that it reads at run time and the bundles for browsers. */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, rmSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { bundleExplorer } from './browser-bundles.mjs'
import { buildClient } from './client.mjs'
import { DIST, ROOT } from './paths.mjs'

/** The files that the service reads at run time. */
const COPIED = ['.graphql', '.sql', '.json', '.ico']

rmSync(DIST, { recursive: true, force: true })
compile()
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
await bundleExplorer()

function compile() {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  const { status } = spawnSync(process.execPath, [tsc, '-p', join(ROOT, 'build')], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

function isCopied(path) {
  return statSync(path).isDirectory() || COPIED.includes(extname(path))
}
