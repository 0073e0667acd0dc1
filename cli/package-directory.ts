/** The package of the service: its directory, its version, and where its data are by default. */
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** Returns the directory of package.json, above the sources and above the build. */
export function packageDirectory(): string {
  let directory = __dirname
  while (!existsSync(join(directory, 'package.json'))) directory = dirname(directory)
  return directory
}

export const packageVersion = (): string =>
  JSON.parse(readFileSync(join(packageDirectory(), 'package.json'), 'utf8')).version

/** Returns a directory beside package.json, but in the home directory for an installed package, which npm replaces. */
export function defaultDataDir(directory: string): string {
  const isInstalled = basename(dirname(directory)) === 'node_modules'
  return isInstalled ? join(homedir(), '.partner-metrics') : join(directory, '.data')
}
