/** Makes a PostgreSQL cluster: whole, or not at all. */
import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../operator-error'
import { type Account, PATIENCE_MS, surroundings } from './account'

/** An initdb whose parent was killed may still be writing there. */
const DISPOSABLE = { recursive: true, force: true, maxRetries: 10 }

/**
 * Makes the cluster `cluster` in `home`, whole or not at all. Its owner logs in as `postgres`.
 *
 * @param sync whether it has to survive a power cut
 */
export async function initdb(home: string, bin: string, account: Account | undefined, password: string, sync = true) {
  for (const name of fs.readdirSync(home)) {
    if (name.startsWith('unfinished-')) fs.rmSync(join(home, name), DISPOSABLE)
  }
  const unfinished = fs.mkdtempSync(join(home, 'unfinished-'))
  const cluster = join(unfinished, 'cluster')
  const passwordFile = join(unfinished, 'password')
  fs.mkdirSync(cluster, { mode: 0o700 })
  fs.writeFileSync(passwordFile, password, { mode: 0o600 })
  if (account) for (const path of [unfinished, cluster, passwordFile]) fs.chownSync(path, account.uid, account.gid)
  const shape = ['--encoding=UTF8', '--no-locale', '--username=postgres', '--auth=scram-sha-256']
  const args = [`--pgdata=${cluster}`, `--pwfile=${passwordFile}`, ...shape, ...(sync ? [] : ['--no-sync'])]
  try {
    await perform(join(bin, 'initdb'), args, account)
    fs.renameSync(cluster, join(home, 'cluster'))
  } finally {
    fs.rmSync(unfinished, DISPOSABLE)
  }
}

/** Apart from our terminal too: Ctrl-C ends us when it is done, rather than it. */
function perform(program: string, args: string[], account: Account | undefined): Promise<void> {
  const child = spawn(program, args, {
    ...surroundings,
    ...account,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: PATIENCE_MS,
  })
  let stderr = ''
  child.stderr.on('data', text => (stderr += text))
  return new Promise((resolve, reject) => {
    const fail = (reason: string) =>
      reject(new OperatorError('DATABASE_NOT_MADE', `PostgreSQL could not be set up: ${lastFault(stderr) ?? reason}`))
    child.on('error', error => fail(error.message))
    child.on('close', (code, signal) => (code === 0 ? resolve() : fail(`initdb ended with ${code ?? signal}`)))
  })
}

/** The last fault in what PostgreSQL said. */
export function lastFault(text: string): string | undefined {
  return text.match(/(?:FATAL|PANIC|error|ERROR): .*/g)?.at(-1)
}
