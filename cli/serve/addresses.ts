/** The addresses of the service for people who try it. */
import { relative } from 'node:path'
import { ANALYST_SCOPE } from '../../db/api-keys/api-keys'

/** Returns the URL of a service on this machine: one that listens on all addresses is reached on the loopback address. */
export const localUrl = (url: string): string =>
  url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')

/** Returns lines with the pages of the service, and how to get a key that reads everything. */
export function describeAddresses(url: string): string[] {
  const origin = localUrl(url)
  const command = `node ${relative(process.cwd(), process.argv[1] ?? 'dist/cli/main.js')}`
  return [
    `overview   ${origin}/`,
    `docs       ${origin}/docs`,
    `explorer   ${origin}/explorer`,
    `a new key  ${command} keys issue --all-companies --scope ${ANALYST_SCOPE}`,
  ]
}
