/** Compares the version of the files of a cluster with that of the installed PostgreSQL, which reads no other ones. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { moveTo, OperatorError } from '../operator-error'
import { installedMajor } from './binaries'

/** @throws OperatorError POSTGRES_VERSION_DIFFERS */
export function checkClusterVersion(cluster: string): void {
  const file = join(cluster, 'PG_VERSION')
  // PostgreSQL reports what is missing.
  if (!existsSync(file)) return
  const [version, installed] = [readFileSync(file, 'utf8').trim(), installedMajor()]
  if (Number(version) === installed) return
  const reason = `the data in ${dirname(cluster)} is of PostgreSQL ${version}, but this version has PostgreSQL ${installed}`
  throw new OperatorError('POSTGRES_VERSION_DIFFERS', `${reason}: ${moveTo('another DATA_DIR')}`)
}
