/** Imports companies. */
import { id, required, text } from '../../db/columns'
import type { EntityDefinition } from './entity-import'

export const companies: EntityDefinition = {
  table: 'companies',
  columns: { id, name: required(text(200)) },
}
