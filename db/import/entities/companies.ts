/** Companies from rows. */

import { id, required, text } from '../csv/values'
import type { EntityDefinition } from './entity-import'

export const companies: EntityDefinition = {
  table: 'companies',
  noun: 'company',
  key: 'name',
  columns: { id, name: required(text(200)) },
}
