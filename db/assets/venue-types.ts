/** The venue types of OpenOOH: the ids that each version of its taxonomy has, by which imports are checked. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Column } from '../columns'

const { ids } = JSON.parse(readFileSync(join(__dirname, 'openooh.json'), 'utf8')) as { ids: Record<string, number[]> }

/** A version, with or without the name of the taxonomy. */
export const venueTaxonomy: Column = {
  type: 'text COLLATE "C"',
  expected: `one of ${Object.keys(ids).join(', ')}, the versions of OpenOOH's venue taxonomy`,
  parse: text => {
    const version = text.replace(/^openooh[ _-]?/i, '')
    return Object.hasOwn(ids, version) ? version : undefined
  },
}

const VERSIONS = `(VALUES ${Object.entries(ids).map(([version, list]) => `('${version}', '{${list}}'::integer[])`)})`

/**
 * Returns what rejects rows with an id that the stated version does not have, as `StagedRows.reject` takes it.
 *
 * @param final returns SQL of the value that an asset will have
 */
export function rejectedVenueTypes(
  final: (column: string) => string,
): [reason: string, condition: string, using: string] {
  const [id, version] = [final('venue_type_id'), final('venue_taxonomy')]
  const others = `SELECT string_agg(o.version, ' and ') FROM ${VERSIONS} AS o (version, ids) WHERE ${id} = ANY (o.ids)`
  return [
    `'venue_type_id ' || ${id} || ' is not in OpenOOH ' || v.version || ' (venue_taxonomy): expected one of its '
      || cardinality(v.ids) || ' ids' || CASE WHEN ${id} / 100 = ANY (v.ids) THEN ', such as ' || ${id} / 100 ELSE '' END
      || coalesce('; it is in OpenOOH ' || (${others}), '')`,
    `x.line = s.line AND v.version = ${version} AND ${id} <> ALL (v.ids)`,
    `staged x LEFT JOIN assets t ON t.number = x.target CROSS JOIN ${VERSIONS} AS v (version, ids)`,
  ]
}
