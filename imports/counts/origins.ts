/** Imports origins: one row for each asset, date and home city. */
import { MAX_COUNT } from '../../db/calendar/packed-counts'
import { country, date, integer, reference, region, required, text } from '../../db/columns'
import { mergeOrigins } from '../../db/counts/merge-origins'
import type { ValueOf } from '../staged-rows'
import { openAudience } from './audience'

const COLUMNS = {
  asset_id: required(reference),
  date: required(date),
  country: required(country),
  region: required(region),
  city: required(text(200)),
  impressions: integer(0, MAX_COUNT),
}

export const ORIGIN_COLUMNS = Object.keys(COLUMNS)

const STAGED_ROWS = `SELECT s.asset, a.company, s.date, s.region, s.city, s.impressions FROM staged s JOIN assets a ON a.number = s.asset`

const validateRow = (value: ValueOf): string | undefined =>
  value('region').startsWith(value('country'))
    ? undefined
    : `region ${value('region')} is not in country ${value('country')}`

export const openOrigins = openAudience({
  columns: COLUMNS,
  key: 'asset, date, country, region, city',
  subject: 'this origin',
  merge: client => mergeOrigins(client, STAGED_ROWS),
  validateRow,
})
