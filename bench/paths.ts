/** Paths of the checkout, as seen from the compiled benchmarks in dist/bench. */
import { join } from 'node:path'

/** The root of the checkout. */
export const ROOT = join(__dirname, '..', '..')

/** The compiled command line of the service. */
export const SERVICE = join(ROOT, 'dist', 'cli', 'main.js')

/** The folder with the benchmarks' own package.json, which holds what only the peers need. */
export const BENCH = join(ROOT, 'bench')
