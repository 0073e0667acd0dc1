/** The system account that runs the embedded PostgreSQL: our own, unless we are root, which PostgreSQL refuses to run as. */
import { execFileSync, spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { OperatorError } from '../operator-error'

/** Spread into the options of a spawned process, it makes the process run as this user. */
export interface Account {
  uid: number
  gid: number
}

const NAME = 'postgres'

/**
 * Returns the account to switch to; undefined when PostgreSQL runs as the current user.
 *
 * @param cluster PostgreSQL's data directory; once it exists, its owner is the account
 * @param print receives a line before an account is created
 * @throws OperatorError when there is no account and none can be created
 */
export function accountFor(cluster: string, print: (line: string) => void = () => {}): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const directory = statSync(cluster, { throwIfNoEntry: false })
  if (directory && directory.uid !== 0) return { uid: directory.uid, gid: directory.gid }
  return lookUp() ?? create(print)
}

export function canEnter(account: Account | undefined, directory: string): boolean {
  if (!account) return true
  return spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', directory], { ...account, cwd: '/' }).status === 0
}

function lookUp(): Account | undefined {
  const number = (flag: string) => Number(spawnSync('id', [flag, NAME], { encoding: 'utf8' }).stdout || Number.NaN)
  const account = { uid: number('-u'), gid: number('-g') }
  return account.uid > 0 && account.gid > 0 ? account : undefined
}

function create(print: (line: string) => void): Account {
  print(`PostgreSQL does not run as root: creating the system user ${NAME} to run it`)
  try {
    execFileSync('groupadd', ['--system', '--force', NAME], { stdio: 'pipe' })
    const user = ['--system', '--gid', NAME, '--no-create-home', '--home-dir', '/nonexistent', '--shell', '/bin/false']
    execFileSync('useradd', [...user, NAME], { stdio: 'pipe' })
  } catch {
    // A concurrent process may have created the user; otherwise the look-up below fails.
  }
  const account = lookUp()
  if (account) return account
  throw new OperatorError(
    'NO_POSTGRES_USER',
    `PostgreSQL does not run as root, and the user ${NAME} is missing and could not be created: start as another user`,
  )
}
