/** How much memory a process takes. */
import { readFileSync } from 'node:fs'

/** The most that it ever had, in MiB. */
export function mostMemory(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

/** The most that it had until it ended, in MiB. */
export async function mostMemoryOf(command: { pid: number; ended: Promise<unknown> }): Promise<number> {
  let most = 0
  const looking = setInterval(() => {
    try {
      most = Math.max(most, mostMemory(command.pid) || 0)
    } catch {
      // It has ended, and is told so in a moment.
    }
  }, 20)
  await command.ended
  clearInterval(looking)
  return most
}
