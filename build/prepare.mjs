/**
 * `npm run prepare`, which npm runs at the end of `npm ci`: builds. Without the development packages (`npm ci --omit=dev`), which the
 * build needs, it keeps what was built before, such as in an unpacked package. Before it packs, npm runs it too: then it changes
 * nothing in dist/, from which a service may be running.
 */
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { DIST, ROOT } from './paths.mjs'

const isPacking = process.env.npm_command === 'pack'
const canBuild = existsSync(join(ROOT, 'node_modules', 'esbuild'))
if (canBuild && isPacking) {
  const { default: build } = await import('./is-current.cjs')
  if (!build.isCurrent()) {
    console.error('error: dist/ is older than the sources: run `npm run build` before `npm pack`')
    process.exit(1)
  }
} else if (canBuild) await import('./build.mjs')
else if (existsSync(DIST)) console.log('dist/ is kept as it was built: the development packages are not installed')
else {
  console.error(
    'error: dist/ is missing, and the development packages, which build it, are not installed: run `npm ci --include=dev`.\n' +
      'To run the service without them, install the package that `npm pack` makes (see docs/install.md)',
  )
  process.exit(1)
}

// Packages have no package-lock.json. The copy is deleted after packing, and is not written before a build that may fail.
if (isPacking) copyFileSync(join(ROOT, 'package-lock.json'), join(ROOT, 'npm-shrinkwrap.json'))
