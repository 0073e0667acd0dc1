/**
 * What the routes and errors of the documents look like: recorded from the running service on the demo (examples.json,
 * which a test holds to it), asked with the examples of their parameters.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Example {
  summary: string
  value: unknown
}

export interface Examples {
  /** By operation, and then by a name. */
  answers: Record<string, Record<string, Example>>
  /** Bodies by their codes; an error that cannot be provoked by asking has none. */
  errors: Record<string, unknown>
  /** Likewise of the legacy interface, by its own codes. */
  legacyErrors: Record<string, unknown>
}

export const EXAMPLES: Examples = JSON.parse(readFileSync(join(__dirname, 'examples.json'), 'utf8'))
