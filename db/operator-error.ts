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
  `then \`partner-metrics migrate\` and \`partner-metrics import all FOLDER\` with this one and ${target}`
