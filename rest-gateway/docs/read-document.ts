/** Reads the Markdown of pages in docs/, which is in the root of the project and of the build. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(__dirname, '..', '..', 'docs')

export const readDocument = (name: string): string => readFileSync(join(FOLDER, name), 'utf8')
