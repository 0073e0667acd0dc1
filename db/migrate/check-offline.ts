/** Keeps migrations that need stopped services from running beside one. */
import type { ClientBase } from 'pg'
import { MAX_AGE_SECONDS, readServices } from '../operations/service-processes'
import { OperatorError } from '../operator-error'
import { loadMigration } from './migration-source'

/**
 * Checks that no service uses the database, if a migration exports the reason why it has to run alone, `offline`.
 *
 * @param pending the names of the migrations that are about to run
 * @throws OperatorError SERVICE_RUNNING
 */
export async function checkOffline(
  db: ClientBase,
  pending: readonly string[],
  load: (name: string) => { offline?: string } = loadMigration,
): Promise<void> {
  const offline = pending.find(name => load(name).offline)
  if (!offline) return
  const running = (await readServices(db)).filter(({ age }) => age < MAX_AGE_SECONDS)
  if (running.length === 0) return
  const services = running.map(({ url, host, pid }) => `${url} (process ${pid} on ${host})`).join(', ')
  throw new OperatorError(
    'SERVICE_RUNNING',
    `the migration ${offline} ${load(offline).offline}, and cannot run beside a service: stop ${services}, ` +
      `then run it again; one that was killed counts as running for ${MAX_AGE_SECONDS} seconds. Nothing was changed`,
  )
}
