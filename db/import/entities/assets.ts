/** Assets from rows. An asset keeps its company, and while it has counts its time zone, by which its days are cut. */

import {
  country,
  decimal,
  id,
  oneOf,
  otherwise,
  reference,
  region,
  required,
  text,
  timeZone,
  whole,
  yesOrNo,
} from '../csv/values'
import type { EntityDefinition } from './entity-import'

const FORMATS =
  'billboard bus_shelter urban_panel spectacular window_panel transit street_furniture place_based other'.split(' ')

const size = decimal('a number above 0, at most 10000', number => number > 0 && number <= 10_000)

const degrees = (most: number) =>
  decimal(`degrees from -${most} to ${most}`, number => number >= -most && number <= most)

export const assets: EntityDefinition = {
  table: 'assets',
  noun: 'asset',
  key: 'legacy_id',
  columns: {
    id,
    legacy_id: whole(1, 2_147_483_647),
    company_id: required(reference),
    name: required(text(500)),
    description: text(5000),
    media_type: required(oneOf(['digital', 'static'])),
    format: required(oneOf(FORMATS)),
    venue_type_id: whole(1, 2_147_483_647),
    status: otherwise(`'active'`, oneOf(['active', 'inactive', 'archived'])),
    indoors: otherwise('false', yesOrNo),
    facing_degrees: whole(0, 359),
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
  },
  extra: ['company integer'],
  resolved: ['company_id'],
  stored: has => (has('company_id') ? { company: 's.company' } : {}),
  onChange: { updated_at: 'now()' },
  async check(rows) {
    const final = (column: string) => (rows.has(column) ? `s.${column}` : `t.${column}`)
    await rows.resolve('company_id', 'company', { table: 'companies', by: ['id', 'name'] })
    await rows.reject(
      `'company_id cannot change: an asset keeps its company'`,
      't.number = s.target AND t.company <> s.company',
      'assets t',
    )
    await rows.reject(
      `'time_zone cannot change from ' || t.time_zone || ': the asset has counts'`,
      't.number = s.target AND t.time_zone <> s.time_zone AND EXISTS (SELECT FROM sensor_days d WHERE d.asset = t.number)',
      'assets t',
    )
    await rows.reject(
      `'region ' || ${final('region')} || ' does not lie in country ' || ${final('country')}`,
      `x.line = s.line AND left(${final('region')}, 2) <> ${final('country')}`,
      'staged x LEFT JOIN assets t ON t.number = x.target',
    )
  },
}
