/** Options and limits that all processes of the embedded PostgreSQL share. */

/** Options of their spawn: nothing of our own environment (PGPORT, LC_ALL …) reaches them. */
export const PROCESS_OPTIONS = { cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } }

/** The time limit of initdb, of a start (which may recover from a crash), and of a stop. */
export const SERVER_TIMEOUT_MS = 120_000

/** Returns the last error in the output of PostgreSQL. */
export const findLastError = (output: string): string | undefined =>
  output.match(/(?:FATAL|PANIC|error|ERROR): .*/g)?.at(-1)
