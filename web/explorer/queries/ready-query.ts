/** A query that the explorer offers. */
import type { QueryDefaults } from './query-defaults'

export interface ReadyQuery {
  title: string
  description: string
  query: string
  variables?(defaults: QueryDefaults): Record<string, unknown>
}
