/** Imports assets. The company of an asset never changes. When its time zone does, the days of its counts follow. */
import type { ClientBase } from 'pg'
import { ATTRIBUTES } from '../../db/assets/attributes'
import { EXTERNAL_ID_PREFIX, externalId, isExternalId, MAX_SYSTEMS, systemOf } from '../../db/assets/external-ids'
import { rejectedVenueTypes } from '../../db/assets/venue-types'
import { FileError } from '../../db/file-errors'
import type { EntityDefinition } from './entity-import'
import { ZoneChanges } from './zone-changes'

const COLUMNS = Object.fromEntries(ATTRIBUTES.flatMap(({ name, file }) => (file ? [[name, file]] : [])))

/** Returns the definition for one import. */
export function assets(client: ClientBase, present: readonly string[]): EntityDefinition {
  const zones = new ZoneChanges(client)
  const external = present.filter(isExternalId)
  if (external.length > MAX_SYSTEMS) {
    throw new FileError(
      `has ${external.length} columns ${EXTERNAL_ID_PREFIX}NAME: an asset has at most ${MAX_SYSTEMS} ids in other systems`,
    )
  }
  return {
    table: 'assets',
    columns: { ...COLUMNS, ...Object.fromEntries(external.map(column => [column, externalId])) },
    extraColumns: ['company integer'],
    replacedColumns: ['company_id', ...external],
    storedColumns: has => ({
      ...(has('company_id') && { company: 's.company' }),
      ...(external.length > 0 && { external_ids: mergeExternalIds(external) }),
    }),
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
      if (rows.has('venue_type_id') || rows.has('venue_taxonomy')) await rows.reject(...rejectedVenueTypes(final))
      if (external.length > 0) {
        await rows.reject(
          `'an asset has at most ${MAX_SYSTEMS} ids in other systems, but this one would have ' || ids.count`,
          `ids.line = s.line AND ids.count > ${MAX_SYSTEMS}`,
          `(SELECT s.line, (SELECT count(*) FROM jsonb_object_keys(${mergeExternalIds(external)})) AS count
            FROM staged s LEFT JOIN assets t ON t.number = s.target) AS ids`,
        )
      }
      await zones.validate(rows)
    },
    afterStore: () => zones.store(),
  }
}

/** Returns SQL: what is stored with the ids of the row; an empty one removes the id of its system. */
function mergeExternalIds(columns: readonly string[]): string {
  const given = columns.map(column => `'${systemOf(column)}', s."${column}"`).join(', ')
  return `jsonb_strip_nulls(coalesce(t.external_ids, '{}') || jsonb_build_object(${given}))`
}

export const ASSET_COLUMNS = Object.keys(COLUMNS)
