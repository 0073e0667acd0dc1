/**
 * Where the embedded PostgreSQL and its credentials live: `postgres` in the data directory. Started by root below a
 * directory that PostgreSQL's account cannot enter (a home of mode 0700, say), that is a link to a place it can reach.
 */
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../operator-error'
import { accountFor, reaches } from './account'

/** Where root keeps what another account has to reach. */
export const SHARED = '/var/lib/partner-metrics'

export interface Credentials {
  owner: string
  reader: string
  writer: string
}

/** The real path of the home, made when missing. */
export function findHome(dataDir: string, say: (line: string) => void): string {
  try {
    if (fs.mkdirSync(dataDir, { recursive: true })) fs.chmodSync(dataDir, 0o755)
    const home = join(dataDir, 'postgres')
    if (!fs.lstatSync(home, { throwIfNoEntry: false })) make(home, dataDir, say)
    return enter(home)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError('DATA_DIR_UNUSABLE', `cannot keep data in ${dataDir}: ${(error as Error).message}`)
  }
}

function make(home: string, dataDir: string, say: (line: string) => void): void {
  if (reaches(accountFor(home), dataDir)) {
    fs.mkdirSync(home, { recursive: true })
    fs.chmodSync(home, 0o711)
    return
  }
  fs.mkdirSync(SHARED, { recursive: true })
  fs.chmodSync(SHARED, 0o755)
  const elsewhere = fs.mkdtempSync(join(SHARED, 'data-'))
  fs.chmodSync(elsewhere, 0o711)
  try {
    fs.symlinkSync(elsewhere, home)
    say(`PostgreSQL cannot reach ${dataDir}: its data is kept in ${elsewhere}`)
  } catch (error) {
    fs.rmdirSync(elsewhere)
    // Another process was faster: its link holds.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function enter(home: string): string {
  let real: string
  try {
    real = fs.realpathSync(home)
  } catch {
    throw new OperatorError(
      'DATA_MISSING',
      `${home} leads nowhere: restore what it points to, or remove it to begin anew`,
    )
  }
  if (reaches(accountFor(join(real, 'cluster')), real)) return real
  throw new OperatorError(
    'DATA_DIR_UNUSABLE',
    `PostgreSQL cannot reach ${real}: it does not run as root, and its own user may not enter that directory`,
  )
}

/** The passwords of the logins, made when there are none yet. Only we can read them, not PostgreSQL's account. */
export function credentialsOf(home: string, clusterExists: boolean): Credentials {
  const file = join(home, 'credentials.json')
  const made = { owner: password(), reader: password(), writer: password() }
  try {
    const known = JSON.parse(fs.readFileSync(file, 'utf8'))
    // One that was made before there was a writer has none.
    return known.writer ? known : store(file, { ...made, ...known })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' || clusterExists) {
      const reason = code === 'EACCES' ? 'belongs to another user' : code === 'ENOENT' ? 'is missing' : 'cannot be read'
      throw new OperatorError('CREDENTIALS_UNREADABLE', `${file} ${reason}: without it the database cannot be opened`)
    }
  }
  return store(file, made)
}

const password = (): string => randomBytes(24).toString('hex')

function store(file: string, credentials: Credentials): Credentials {
  fs.writeFileSync(`${file}.new`, JSON.stringify(credentials), { mode: 0o600, flush: true })
  fs.renameSync(`${file}.new`, file)
  return credentials
}
