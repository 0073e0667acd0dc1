/** The addresses of the service for people who try it. */
import { basename, dirname, relative } from 'node:path'
import { ANALYST_SCOPE } from '../../db/api-keys/api-keys'

const COMMAND = 'partner-metrics'

/**
 * Returns the URL at which a service can be reached: one that listens on all addresses, on the loopback address.
 *
 * @param host the name of its machine, if it is another one than this
 */
export function reachableUrl(text: string, host?: string): string {
  const url = new URL(text)
  if (url.hostname === '0.0.0.0') url.hostname = host ?? '127.0.0.1'
  if (url.hostname === '[::]') url.hostname = host ?? '[::1]'
  return url.origin
}

/** Returns lines with the pages of the service, and how to get a key that reads everything. */
export function describeAddresses(url: string): string[] {
  const origin = reachableUrl(url)
  return [
    `overview   ${origin}/`,
    `docs       ${origin}/docs`,
    `explorer   ${origin}/explorer`,
    `a new key  ${describeCommand(process.argv[1])} keys issue --all-companies --scope ${ANALYST_SCOPE}`,
  ]
}

/** Returns how to run the command line. The link that npm makes for an installed package has the name of the command. */
function describeCommand(program = 'dist/cli/main.js'): string {
  if (basename(program) !== COMMAND) {
    const path = relative(process.cwd(), program)
    return `node ${path.startsWith('..') ? program : path}`
  }
  return basename(dirname(program)) === '.bin' ? `npx ${COMMAND}` : COMMAND
}
