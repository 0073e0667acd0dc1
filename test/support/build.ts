/** The built service, for tests of the command line and of pages in browsers. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { lock } from 'proper-lockfile'

const ROOT = join(__dirname, '..', '..')

/** The entry point of the command line. */
export const MAIN = join(ROOT, 'dist', 'cli', 'main.js')

/** The last file that the build writes. */
const LAST_BUILT = join(ROOT, 'dist', 'bundles', 'explorer', 'page.html')

const SOURCES = ['schema', 'db', 'resolvers', 'rest-gateway', 'cli', 'client', 'build', 'package.json', 'tsconfig.json']

const LOCK = join(ROOT, 'node_modules', '.build.lock')

const TIMEOUT_MS = 180_000

/** Builds the service before the tests of this file or block, unless dist is newer than the sources. */
export function buildBeforeAll(): void {
  beforeAll(async () => {
    if (isCurrent()) return
    // Test files run in several processes: the first one builds, the others wait.
    const unlock = await lock(ROOT, { lockfilePath: LOCK, retries: { forever: true, factor: 1, minTimeout: 500 } })
    try {
      if (!isCurrent()) await promisify(execFile)(process.execPath, [join(ROOT, 'build', 'build.mjs')])
    } finally {
      await unlock()
    }
  }, TIMEOUT_MS)
}

function isCurrent(): boolean {
  if (!existsSync(LAST_BUILT)) return false
  const built = statSync(LAST_BUILT).mtimeMs
  return SOURCES.every(source => changedAt(join(ROOT, source)) < built)
}

/** Returns when anything in a file or folder changed last. A folder changes when a file is added or removed. */
function changedAt(path: string): number {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map(name => changedAt(join(path, name))))
}
