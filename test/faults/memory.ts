/** The memory use of processes. */
import { readFileSync } from 'node:fs'

/** Returns the peak resident memory of a running process, in MiB. */
function peakMemory(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

/** Returns the peak resident memory of a process over its whole life, in MiB. */
export async function readPeakMemory(command: { pid: number; ended: Promise<unknown> }): Promise<number> {
  let peak = 0
  const sampling = setInterval(() => {
    try {
      peak = Math.max(peak, peakMemory(command.pid) || 0)
    } catch {
      // The process has ended; its `close` event is about to follow.
    }
  }, 20)
  await command.ended
  clearInterval(sampling)
  return peak
}
