/** The wish that we end: SIGINT, SIGTERM or SIGHUP, however often they come, or a fault that nobody caught. */
import cluster from 'node:cluster'
import { OperatorError } from '../db/operator-error'

const controller = new AbortController()

/** Aborted when we are to end. */
export const interruption: AbortSignal = controller.signal

/** Says that we are to end, and why. Only the first reason counts. */
export const interrupt = (reason: unknown): void => controller.abort(reason)

/** From now on signals do not end the process: whoever works looks at `interruption`. */
export function heedSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // A terminal tells every process; a worker ends when the primary says so.
      if (cluster.isPrimary) interrupt(new OperatorError('INTERRUPTED', `interrupted by ${signal}`))
    })
  }
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, interrupt)
  }
  for (const stream of [process.stdout, process.stderr]) {
    // Whoever read us went away (`keys list | head`): there is nobody left to tell.
    stream.on('error', () => {})
  }
}

/**
 * From now on a promise that fails with nobody waiting for it is told, and does not end the process: a free query may
 * leave one behind (graphql-js does, where two items of a list fail), and no query is to end a service.
 */
export function outliveRejections(tell: (fault: unknown) => void): void {
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', tell)
}

/** Whether the end was asked for by a signal, and not by a fault of ours. */
export const isAskedFor = (): boolean =>
  interruption.reason instanceof OperatorError && interruption.reason.code === 'INTERRUPTED'

/** Waits for the work, but not beyond an interruption, whose reason is thrown then. */
export async function unlessInterrupted<Result>(work: () => Promise<Result>): Promise<Result> {
  interruption.throwIfAborted()
  return Promise.race([work(), untilInterrupted().then(() => Promise.reject(interruption.reason))])
}

export function untilInterrupted(): Promise<void> {
  return new Promise(resolve => {
    if (interruption.aborted) return resolve()
    interruption.addEventListener('abort', () => resolve(), { once: true })
  })
}
