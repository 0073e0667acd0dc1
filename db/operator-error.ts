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
