/** Creates directories with a mode, also where Node's own recursion fails. */
import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a directory and its parents, whatever the process masks of their mode. `recursive` of
 * `mkdirSync` is not used: it never returns below /proc, and reports another error than the one that it met.
 */
export function makeDirectory(path: string, mode: number): void {
  if (isDirectory(path)) return
  if (dirname(path) !== path) makeDirectory(dirname(path), mode)
  try {
    mkdirSync(path, { mode })
    chmodSync(path, mode)
  } catch (error) {
    // A concurrent process may have created it.
    if (!isDirectory(path)) throw error
  }
}

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
