/**
 * Ends this process when its event loop has stood still for a while, so that its supervisor starts it again. A thread checks
 * whether the count of a timer grows. It counts its own checks: unlike a time, they do not pass while the machine is suspended.
 */
import { url as inspectorUrl } from 'node:inspector'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { createLogger } from './logger'

const INTERVAL_MS = 1_000

const MAX_SILENT_CHECKS = 15

/** Begins to watch the event loop of this thread. A process that a debugger may halt is not watched. */
export function watchEventLoop(logLevel: string): void {
  if (inspectorUrl()) return
  const beats = new Int32Array(new SharedArrayBuffer(4))
  setInterval(() => Atomics.add(beats, 0, 1), INTERVAL_MS).unref()
  new Worker(__filename, { workerData: { beats, logLevel } }).unref()
}

function endWhenSilent({ beats, logLevel }: { beats: Int32Array; logLevel: string }): void {
  let [last, silentChecks] = [0, 0]
  setInterval(() => {
    const now = Atomics.load(beats, 0)
    silentChecks = now === last ? silentChecks + 1 : 0
    last = now
    if (silentChecks < MAX_SILENT_CHECKS) return
    try {
      createLogger(logLevel).fatal(`the event loop stood still for ${MAX_SILENT_CHECKS} s; ending this process`)
    } finally {
      process.kill(process.pid, 'SIGKILL')
    }
  }, INTERVAL_MS)
}

if (!isMainThread) endWhenSilent(workerData)
