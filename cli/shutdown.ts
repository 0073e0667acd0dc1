/** The request to end this process: by SIGINT, SIGTERM or SIGHUP, or because of an error that nothing caught. */
import { OperatorError } from '../db/operator-error'

const controller = new AbortController()

/** Aborted when the process is to end; the reason is the error, or an OperatorError with the code INTERRUPTED. */
export const shutdownSignal: AbortSignal = controller.signal

/** Requests the end of the process. Only the first reason counts. */
const requestShutdown = (reason: unknown): void => controller.abort(reason)

/** Turns signals and uncaught errors into a request to end, instead of ending the process at once. */
export function handleSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => requestShutdown(new OperatorError('INTERRUPTED', `interrupted by ${signal}`)))
  }
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.on(event, requestShutdown)
  // The reader of the messages may be gone, and nobody is left to report that to.
  process.stderr.on('error', () => {})
}

/**
 * Reports unhandled rejections from now on, instead of ending the process. An ad hoc query may leave one: graphql-js
 * does so when two items of a list fail.
 */
export function reportRejections(report: (reason: unknown) => void): void {
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', report)
}

/** Returns whether the process ends because of a signal, and not because of an error. */
export const isRegularShutdown = (): boolean =>
  shutdownSignal.reason instanceof OperatorError && shutdownSignal.reason.code === 'INTERRUPTED'

/** Waits for the work; throws the reason if the process has to end before. */
export async function unlessShutdown<Result>(work: () => Promise<Result>): Promise<Result> {
  shutdownSignal.throwIfAborted()
  const end = new AbortController()
  try {
    return await Promise.race([work(), shutdownRequested(end.signal).then(() => Promise.reject(shutdownSignal.reason))])
  } finally {
    end.abort()
  }
}

/** Resolves when the process has to end. @param signal ends the wait, without resolving */
export function shutdownRequested(signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (shutdownSignal.aborted) return resolve()
    shutdownSignal.addEventListener('abort', () => resolve(), { once: true, ...(signal && { signal }) })
  })
}
