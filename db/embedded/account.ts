/** Under whose account the embedded PostgreSQL runs: our own, except that PostgreSQL refuses to be root. */
import { execFileSync, spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { OperatorError } from '../operator-error'

/** A user of the system, by number. Spread into the options of a spawned process it becomes that user. */
export interface Account {
  uid: number
  gid: number
}

/** For PostgreSQL's processes: nothing of our own surroundings (PGPORT, LC_ALL …) reaches them. */
export const surroundings = { cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } }

/** How long PostgreSQL may take to be made, to start (it may have a crash to recover from) or to stop. */
export const PATIENCE_MS = 120_000

const NAME = 'postgres'

/**
 * The account to change to, undefined when PostgreSQL runs as whoever we are.
 *
 * @param cluster PostgreSQL's own directory: once made, its owner is who runs it
 * @throws OperatorFault when there is no such user and none can be made
 */
export function accountFor(cluster: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const made = statSync(cluster, { throwIfNoEntry: false })
  if (made && made.uid !== 0) return { uid: made.uid, gid: made.gid }
  return lookUp() ?? create()
}

/** Whether the account can enter a directory. */
export function reaches(account: Account | undefined, directory: string): boolean {
  if (!account) return true
  return spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', directory], { ...account, cwd: '/' }).status === 0
}

function lookUp(): Account | undefined {
  const number = (flag: string) => Number(spawnSync('id', [flag, NAME], { encoding: 'utf8' }).stdout || Number.NaN)
  const account = { uid: number('-u'), gid: number('-g') }
  return account.uid > 0 && account.gid > 0 ? account : undefined
}

function create(): Account {
  try {
    execFileSync('groupadd', ['--system', '--force', NAME], { stdio: 'pipe' })
    const user = ['--system', '--gid', NAME, '--no-create-home', '--home-dir', '/nonexistent', '--shell', '/bin/false']
    execFileSync('useradd', [...user, NAME], { stdio: 'pipe' })
  } catch {
    // Another process may have been faster.
  }
  const account = lookUp()
  if (account) return account
  throw new OperatorError(
    'NO_POSTGRES_USER',
    `PostgreSQL does not run as root, and the user ${NAME} is missing and could not be created: start as another user`,
  )
}
