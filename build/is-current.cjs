/** Tells whether dist/ is newer than all sources. Tests and benchmarks build only if it is not. */
const { existsSync, readdirSync, statSync } = require('node:fs')
const { join } = require('node:path')

const ROOT = join(__dirname, '..')

/** The last file that the build writes. */
const LAST_BUILT = join(ROOT, 'dist', 'pages', 'explorer.html')

const SOURCES = [
  'schema',
  'db',
  'imports',
  'resolvers',
  'rest-gateway',
  'web',
  'docs',
  'cli',
  'client',
  'build',
  'package.json',
  'tsconfig.json',
]

exports.SOURCES = SOURCES

exports.isCurrent = () => {
  if (!existsSync(LAST_BUILT)) return false
  const built = statSync(LAST_BUILT).mtimeMs
  return SOURCES.every(source => changedAt(join(ROOT, source)) < built)
}

/** Returns when anything in a file or folder changed last. A folder changes when a file is added or removed. */
function changedAt(path) {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map(name => (name === 'dist' ? 0 : changedAt(join(path, name)))))
}
