/** What an operator asked for and cannot have: told in one line, without a stack. */
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
    this.name = 'OperatorFault'
  }
}
