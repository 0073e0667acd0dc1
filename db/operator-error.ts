/** An error that the operator can act on. It is printed as one line, without a stack. */
export class OperatorError extends Error {
  /**
   * @param code stable and machine-readable, in upper case
   * @param message one line for people
   */
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
    this.name = 'OperatorError'
  }
}

/** Conditions that end a command and that only the operator can change, by SQLSTATE or error of the system, with codes and messages. */
const CONDITIONS: Record<string, readonly [code: string, message: string]> = {
  '53100': ['DISK_FULL', 'the disk of the database is full'],
  '53200': ['OUT_OF_MEMORY', 'the database is out of memory'],
  '53300': [
    'TOO_MANY_CONNECTIONS',
    'the database has no connection left: its max_connections, or the limit of the login, is reached',
  ],
  '25006': ['DATABASE_READ_ONLY', 'the database is read-only: it is a replica, or default_transaction_read_only is on'],
  ENOSPC: ['DISK_FULL', 'the disk is full'],
  EDQUOT: ['DISK_FULL', 'the disk quota is exceeded'],
}

/** Returns such a condition as an error that names it; undefined for any other error. */
export function findCondition(error: unknown): OperatorError | undefined {
  const { code, path } = Object(error) as { code?: unknown; path?: string }
  const [name, message] = CONDITIONS[String(code)] ?? []
  if (name === undefined) return undefined
  return new OperatorError(name, path === undefined ? `${message}` : `${message}: ${path} cannot be written`)
}

/** @param location where a database was looked for */
export const noDatabase = (location: string): OperatorError =>
  new OperatorError(
    'NO_DATABASE',
    `there is no database in ${location}: ` +
      'set DATA_DIR or DATABASE_URL to the right one, or create one with `partner-metrics migrate`',
  )

/** @param location below DATA_DIR */
export const dataDirUnusable = (location: string, { message }: Error): OperatorError =>
  new OperatorError('DATA_DIR_UNUSABLE', `cannot store data in ${location} (DATA_DIR): ${message}`)

/** Returns the remedy for data that another version has stored in a form that this one cannot use. */
export const moveTo = (target: string): string =>
  'run `partner-metrics export all --output FOLDER` with the version that used it last, ' +
  `then \`partner-metrics import all FOLDER\` with this one and ${target}`
