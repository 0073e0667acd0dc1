/**
 * `npm run prepare`, which npm runs at the end of `npm ci` and before it packs: builds. Without the development packages
 * (`npm ci --omit=dev`), which the build needs, it keeps what was built before, such as in an unpacked package.
 */
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { DIST, ROOT } from './paths.mjs'

if (existsSync(join(ROOT, 'node_modules', 'esbuild'))) await import('./build.mjs')
else if (existsSync(DIST)) console.log('dist/ is kept as it was built: the development packages are not installed')
else {
  console.error(
    'error: dist/ is missing, and the development packages, which build it, are not installed: run `npm ci --include=dev`.\n' +
      'To run the service without them, install the package that `npm pack` makes (see docs/operations.md)',
  )
  process.exit(1)
}

// Packages have no package-lock.json. The copy is deleted after packing, and is not written before a build that may fail.
if (process.env.npm_command === 'pack') copyFileSync(join(ROOT, 'package-lock.json'), join(ROOT, 'npm-shrinkwrap.json'))
