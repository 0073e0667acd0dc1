/** Recorded responses and errors of the service on the demo data, shown in the documentation. A test compares them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Example {
  summary: string
  value: unknown
}

export interface Examples {
  /** By operation, then by the kind of key. */
  responses: Record<string, Record<string, Example>>
  /** By code. Errors that a request cannot provoke are missing. */
  errors: Record<string, unknown>
  /** By the code of the legacy interface. */
  legacyErrors: Record<string, unknown>
}

export const EXAMPLES: Examples = JSON.parse(readFileSync(join(__dirname, 'examples.json'), 'utf8'))
