/** Identifies the release by a hash of the code that produces responses, which is the same in every process. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDERS = ['schema', 'db', 'resolvers', 'rest-gateway']

const CODE = /\.(js|ts|graphql)$/

const ROOT = join(__dirname, '..', '..')

/** Part of the entity tags of data versions: the next release may present the same data differently. */
export function release(): string {
  const hash = createHash('sha256')
  for (const folder of FOLDERS) {
    const directory = join(ROOT, folder)
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(file => CODE.test(file))
    for (const file of files.sort()) hash.update(file).update(readFileSync(join(directory, file)))
  }
  return hash.digest('base64url')
}
