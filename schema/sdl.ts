/** The schema in GraphQL's schema definition language. Tests check that it is valid, so that a start does not. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DocumentNode, parse } from 'graphql'

/** The .graphql files, one per noun, joined. */
const text: string = readdirSync(__dirname)
  .filter(name => name.endsWith('.graphql'))
  .sort()
  .map(name => readFileSync(join(__dirname, name), 'utf8'))
  .join('\n')

export const sdl: DocumentNode = parse(text, { noLocation: true })
