/** Runs the programs of the embedded PostgreSQL. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename } from 'node:path'
import type { Account } from './account'

/** The time limit of initdb, of a start (which may recover from a crash), and of a stop. */
export const SERVER_TIMEOUT_MS = 120_000

/**
 * Runs a program in a session of its own, so that Ctrl-C reaches us only: we exit when the program has ended.
 *
 * @param cwd its working directory
 * @throws Error with the last error that it printed
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  cwd: string,
  account: Account | undefined,
): Promise<void> {
  const child = spawn(program, args, {
    ...{ ...account, cwd, detached: true, timeout: SERVER_TIMEOUT_MS },
    // Nothing of our own environment (PGPORT, LC_ALL …) reaches it.
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', text => {
    stderr += text
  })
  const [code, signal] = await once(child, 'close')
  if (code !== 0) throw new Error(findLastError(stderr) ?? `${basename(program)} ended with ${code ?? signal}`)
}

/** Returns the last error in the output of PostgreSQL. */
export const findLastError = (output: string): string | undefined =>
  output.match(/(?:FATAL|PANIC|error|ERROR): .*/g)?.at(-1)
