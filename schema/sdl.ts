/** The SDL of the schema: the .graphql files, one per noun, joined. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const typeDefs: string = readdirSync(__dirname)
  .filter(name => name.endsWith('.graphql'))
  .sort()
  .map(name => readFileSync(join(__dirname, name), 'utf8'))
  .join('\n')
