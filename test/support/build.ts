/** The built service, for tests of the command line and of pages in browsers. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { lock } from 'proper-lockfile'

const { isCurrent } = require('../../build/is-current.cjs')

const ROOT = join(__dirname, '..', '..')

/** The entry point of the command line. */
export const MAIN = join(ROOT, 'dist', 'cli', 'main.js')

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
