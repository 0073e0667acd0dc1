/** The addresses of the service for people who try it. */
import { basename, dirname, relative } from 'node:path'
import { ANALYST_SCOPE } from '../../db/api-keys/api-keys'

const COMMAND = 'partner-metrics'

/** Returns the URL of a service on this machine: one that listens on all addresses is reached on the loopback address. */
export const localUrl = (url: string): string =>
  url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')

/** Returns lines with the pages of the service, and how to get a key that reads everything. */
export function describeAddresses(url: string): string[] {
  const origin = localUrl(url)
  return [
    `overview   ${origin}/`,
    `docs       ${origin}/docs`,
    `explorer   ${origin}/explorer`,
    `a new key  ${describeCommand(process.argv[1])} keys issue --all-companies --scope ${ANALYST_SCOPE}`,
  ]
}

/** Returns how to run the command line. The link that npm makes for an installed package has the name of the command. */
function describeCommand(program = 'dist/cli/main.js'): string {
  if (basename(program) !== COMMAND) return `node ${relative(process.cwd(), program)}`
  return basename(dirname(program)) === '.bin' ? `npx ${COMMAND}` : COMMAND
}
