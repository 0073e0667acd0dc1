/** Companies from rows. */
import type { Thing } from './things'
import { id, required, text } from './values'

export const companies: Thing = {
  table: 'companies',
  noun: 'company',
  key: 'name',
  columns: { id, name: required(text(200)) },
}
