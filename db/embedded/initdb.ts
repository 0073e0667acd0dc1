/** Creates the cluster with initdb: completely or not at all. */
import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../operator-error'
import type { Account } from './account'
import { findLastError, PROCESS_OPTIONS, SERVER_TIMEOUT_MS } from './server-process'

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
    await run(join(bin, 'initdb'), args, account)
    fs.renameSync(cluster, join(home, 'cluster'))
  } finally {
    fs.rmSync(unfinished, REMOVAL)
  }
}

/** Runs a program in a session of its own, so that Ctrl-C reaches us only: we exit when the program has ended. */
function run(program: string, args: string[], account: Account | undefined): Promise<void> {
  const child = spawn(program, args, {
    ...PROCESS_OPTIONS,
    ...account,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: SERVER_TIMEOUT_MS,
  })
  let stderr = ''
  child.stderr.on('data', text => {
    stderr += text
  })
  return new Promise((resolve, reject) => {
    const fail = (reason: string) =>
      reject(
        new OperatorError('DATABASE_NOT_CREATED', `PostgreSQL could not be set up: ${findLastError(stderr) ?? reason}`),
      )
    child.on('error', error => fail(error.message))
    child.on('close', (code, signal) => (code === 0 ? resolve() : fail(`initdb ended with ${code ?? signal}`)))
  })
}
