/** The error of a copy that its owner can act on. */
export class PullError extends Error {
  override readonly name = 'PullError'

  /** @param code stable, in upper case @param message one line for people */
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

/** Returns the error of somebody who has to call the command in another way. */
export const usageError = (message: string): PullError => new PullError('USAGE', message)
