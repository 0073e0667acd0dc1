/** Which release answers: a name of the code that makes the answers, the same in every process that runs it. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOMS = ['schema', 'db', 'resolvers', 'rest-gateway']

const CODE = /\.(js|ts|graphql)$/

/** A tag that stands for a version of the data is good for one release: the next may tell the same data otherwise. */
export function release(): string {
  const hash = createHash('sha256')
  for (const room of ROOMS) {
    const directory = join(__dirname, '..', '..', room)
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(file => CODE.test(file))
    for (const file of files.sort()) hash.update(file).update(readFileSync(join(directory, file)))
  }
  return hash.digest('base64url')
}
