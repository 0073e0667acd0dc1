/**
 * The directory of the embedded PostgreSQL and its credentials: `postgres` in the data directory. When root starts
 * PostgreSQL below a directory that the account of PostgreSQL cannot enter (a home directory of mode 0700, say), it is a
 * link to a directory that the account can enter.
 */
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { makeDirectory } from '../make-directory'
import { dataDirUnusable, OperatorError } from '../operator-error'
import { accountFor, canEnter } from './account'

/** For files of root that the account of PostgreSQL has to reach. */
export const SHARED = '/var/lib/partner-metrics'

/** PostgreSQL refuses paths of files from 1,024 bytes on. */
const MAX_PATH_BYTES = 900

export interface Credentials {
  owner: string
  reader: string
}

/**
 * Returns the real path of the directory, which is created when it is missing.
 *
 * @throws OperatorError when it cannot be used
 */
export function openHome(dataDir: string, print: (line: string) => void): string {
  return explainErrors(dataDir, () => {
    if (Buffer.byteLength(dataDir) > MAX_PATH_BYTES) throw new Error('its path is too long for PostgreSQL')
    makeDirectory(dataDir, 0o755)
    const home = join(dataDir, 'postgres')
    if (!fs.lstatSync(home, { throwIfNoEntry: false })) createHome(home, dataDir, print)
    return resolveHome(home, print)
  })
}

/**
 * Returns whether there is a database in a data directory, or a link to one.
 *
 * @throws OperatorError when the directory cannot be read
 */
export function hasDatabase(dataDir: string): boolean {
  return explainErrors(dataDir, () => {
    const home = join(dataDir, 'postgres')
    // A link to a directory that is missing is an error of its own.
    if (fs.lstatSync(home, { throwIfNoEntry: false }) && !fs.existsSync(home)) return true
    return fs.statSync(join(home, 'cluster'), { throwIfNoEntry: false }) !== undefined
  })
}

function explainErrors<Result>(dataDir: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw dataDirUnusable(dataDir, error as Error)
  }
}

function createHome(home: string, dataDir: string, print: (line: string) => void): void {
  if (canEnter(accountFor(home, print), dataDir)) {
    makeDirectory(home, 0o711)
    return
  }
  fs.mkdirSync(SHARED, { recursive: true })
  fs.chmodSync(SHARED, 0o755)
  const target = fs.mkdtempSync(join(SHARED, 'data-'))
  fs.chmodSync(target, 0o711)
  try {
    fs.symlinkSync(target, home)
    print(`PostgreSQL cannot reach ${dataDir}: its data is stored in ${target}`)
  } catch (error) {
    fs.rmdirSync(target)
    // EEXIST: a concurrent process has created the link, which is then used.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function resolveHome(home: string, print: (line: string) => void): string {
  let real: string
  try {
    real = fs.realpathSync(home)
  } catch {
    throw new OperatorError(
      'DATA_MISSING',
      `${home} is a link to a directory that does not exist: restore that directory, or remove the link to begin with an empty database`,
    )
  }
  if (canEnter(accountFor(join(real, 'cluster'), print), real)) return real
  throw new OperatorError(
    'DATA_DIR_UNUSABLE',
    `PostgreSQL cannot reach ${real}: it does not run as root, and its own user may not enter that directory`,
  )
}

/**
 * Reads the credentials, or creates them for a new cluster. The file is readable by us only, not by the account of
 * PostgreSQL.
 *
 * @throws OperatorError when they cannot be read
 */
export function openCredentials(home: string, clusterExists: boolean): Credentials {
  const file = join(home, 'credentials.json')
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' || clusterExists) {
      const reason = code === 'EACCES' ? 'belongs to another user' : code === 'ENOENT' ? 'is missing' : 'cannot be read'
      throw new OperatorError('CREDENTIALS_UNREADABLE', `${file} ${reason}: without it the database cannot be opened`)
    }
  }
  const credentials = { owner: createPassword(), reader: createPassword() }
  fs.writeFileSync(`${file}.new`, JSON.stringify(credentials), { mode: 0o600, flush: true })
  fs.renameSync(`${file}.new`, file)
  return credentials
}

const createPassword = (): string => randomBytes(24).toString('hex')
