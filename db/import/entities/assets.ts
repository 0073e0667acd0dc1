/** Imports assets. The company of an asset never changes. When its time zone does, the days of its counts follow. */
import type { ClientBase } from 'pg'
import { LocalDayCache } from '../../calendar/local-day-cache'
import {
  boolean,
  country,
  decimal,
  id,
  integer,
  oneOf,
  reference,
  region,
  required,
  text,
  timeZone,
  withDefault,
} from '../csv/columns'
import type { EntityDefinition } from './entity-import'
import { ZoneChanges } from './zone-changes'

const FORMATS =
  'billboard bus_shelter urban_panel spectacular window_panel transit street_furniture place_based other'.split(' ')

const size = decimal('a number above 0, at most 10000', number => number > 0 && number <= 10_000)

const degrees = (max: number) => decimal(`degrees from -${max} to ${max}`, number => number >= -max && number <= max)

const COLUMNS = {
  id,
  legacy_id: integer(1, 2_147_483_647),
  company_id: required(reference),
  name: required(text(500)),
  description: text(5000),
  media_type: required(oneOf(['digital', 'static'])),
  format: required(oneOf(FORMATS)),
  venue_type_id: integer(1, 2_147_483_647),
  status: withDefault(`'active'`, oneOf(['active', 'inactive', 'archived'])),
  indoors: withDefault('false', boolean),
  facing_degrees: integer(0, 359),
  width_m: size,
  height_m: size,
  latitude: required(degrees(90)),
  longitude: required(degrees(180)),
  address: text(500),
  city: text(200),
  region,
  postal_code: text(20),
  country: required(country),
  time_zone: required(timeZone),
}

/** The definition for one import. */
export function assets(client: ClientBase): EntityDefinition {
  const zones = new ZoneChanges(client, new LocalDayCache())
  return {
    table: 'assets',
    noun: 'asset',
    naturalKey: 'legacy_id',
    columns: COLUMNS,
    extraColumns: ['company integer'],
    replacedColumns: ['company_id'],
    storedColumns: has => (has('company_id') ? { company: 's.company' } : {}),
    async validate(rows) {
      const final = (column: string) => (rows.has(column) ? `s.${column}` : `t.${column}`)
      await rows.resolve('company_id', 'company', { table: 'companies', by: ['id', 'name'] })
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
