/** The lock file of the embedded cluster, which serialises joining and leaving. A killed process loses it after some seconds. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { lock } from 'proper-lockfile'
import { dataDirUnusable, OperatorError } from '../operator-error'
import { SERVER_TIMEOUT_MS } from './server'

const POLL_MS = 100

/** The holder may start PostgreSQL, or stop it. */
const TIMEOUT_MS = 2 * SERVER_TIMEOUT_MS

const STALE_MS = 5_000

/**
 * Runs `work` while no other process joins or leaves.
 *
 * @param signal ends the wait for the lock, but not `work`
 * @throws OperatorError when the lock cannot be taken
 */
export async function withClusterLock(
  home: string,
  signal: AbortSignal | undefined,
  work: () => Promise<void>,
): Promise<void> {
  const release = await acquire(home, signal)
  try {
    await work()
  } finally {
    // A lock that was taken over cannot be released.
    await release().catch(() => {})
  }
}

async function acquire(home: string, signal: AbortSignal | undefined): Promise<() => Promise<void>> {
  const options = {
    lockfilePath: join(home, 'lock'),
    stale: STALE_MS,
    // The machine slept, and another process took the lock over: nothing has to be cleaned up.
    onCompromised: () => {},
  }
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    signal?.throwIfAborted()
    try {
      return await lock(home, options)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // ENOENT: another process took over what it considered an abandoned lock.
      if (code !== 'ELOCKED' && !(code === 'ENOENT' && existsSync(home))) {
        throw dataDirUnusable(home, error as Error)
      }
      if (performance.now() > deadline) {
        throw new OperatorError('DATABASE_BUSY', `another process has been starting or stopping ${home} for minutes`)
      }
    }
    await sleep(POLL_MS)
  }
}
