/** Creates the cluster with initdb: completely or not at all. */
import * as fs from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../operator-error'
import type { Account } from './account'
import { runProgram } from './run-program'

/** Retries, because an initdb whose parent was killed may still write to the directory. */
const REMOVAL = { recursive: true, force: true, maxRetries: 10 }

/**
 * Creates `cluster` in a directory. Its owner logs in as `postgres`.
 *
 * @param sync whether the result must survive a power failure
 * @throws OperatorError when initdb fails
 */
export async function initdb(home: string, bin: string, account: Account | undefined, password: string, sync = true) {
  for (const name of fs.readdirSync(home)) {
    if (name.startsWith('unfinished-')) fs.rmSync(join(home, name), REMOVAL)
  }
  const unfinished = fs.mkdtempSync(join(home, 'unfinished-'))
  const cluster = join(unfinished, 'cluster')
  const passwordFile = join(unfinished, 'password')
  fs.mkdirSync(cluster, { mode: 0o700 })
  fs.writeFileSync(passwordFile, password, { mode: 0o600 })
  if (account) for (const path of [unfinished, cluster, passwordFile]) fs.chownSync(path, account.uid, account.gid)
  const options = ['--encoding=UTF8', '--no-locale', '--username=postgres', '--auth=scram-sha-256']
  const args = [`--pgdata=${cluster}`, `--pwfile=${passwordFile}`, ...options, ...(sync ? [] : ['--no-sync'])]
  try {
    await runProgram(join(bin, 'initdb'), args, home, account).catch(({ message }) => {
      throw new OperatorError('DATABASE_NOT_CREATED', `PostgreSQL could not be set up: ${message}`)
    })
    fs.renameSync(cluster, join(home, 'cluster'))
  } finally {
    fs.rmSync(unfinished, REMOVAL)
  }
}
