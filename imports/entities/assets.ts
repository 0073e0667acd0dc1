/** Imports assets. The company of an asset never changes. When its time zone does, the days of its counts follow. */
import type { ClientBase } from 'pg'
import { ATTRIBUTES } from '../../db/assets/attributes'
import type { EntityDefinition } from './entity-import'
import { ZoneChanges } from './zone-changes'

const COLUMNS = Object.fromEntries(ATTRIBUTES.flatMap(({ name, file }) => (file ? [[name, file]] : [])))

/** Returns the definition for one import. */
export function assets(client: ClientBase): EntityDefinition {
  const zones = new ZoneChanges(client)
  return {
    table: 'assets',
    columns: COLUMNS,
    extraColumns: ['company integer'],
    replacedColumns: ['company_id'],
    storedColumns: has => (has('company_id') ? { company: 's.company' } : {}),
    async validate(rows) {
      const final = (column: string) => (rows.has(column) ? `s.${column}` : `t.${column}`)
      await rows.resolve('company_id', 'company', 'companies')
      await rows.reject(
        `'company_id cannot change: an asset keeps its company'`,
        't.number = s.target AND t.company <> s.company',
        'assets t',
      )
      await rows.reject(
        `'region ' || ${final('region')} || ' is not in country ' || ${final('country')}`,
        `x.line = s.line AND left(${final('region')}, 2) <> ${final('country')}`,
        'staged x LEFT JOIN assets t ON t.number = x.target',
      )
      await zones.validate(rows)
    },
    afterStore: () => zones.store(),
  }
}

export const ASSET_COLUMNS = Object.keys(COLUMNS)
