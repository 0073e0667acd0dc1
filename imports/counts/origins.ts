/** Imports origins: one row for each asset, date and home city. */
import type { ClientBase } from 'pg'
import { MAX_COUNT } from '../../db/calendar/packed-counts'
import { country, date, integer, reference, region, required, text } from '../../db/columns'
import { mergeOrigins } from '../../db/counts/merge-origins'
import type { RowCounter } from '../row-counter'
import type { RowSink } from '../row-sink'
import { StagedRows, type ValueOf } from '../staged-rows'
import type { CountOptions } from './count-options'

const COLUMNS = {
  asset_id: required(reference),
  date: required(date),
  country: required(country),
  region: required(region),
  city: required(text(200)),
  impressions: integer(0, MAX_COUNT),
}

export const ORIGIN_COLUMNS = Object.keys(COLUMNS)

export async function openOrigins(
  client: ClientBase,
  present: readonly string[],
  counter: RowCounter,
  { erase }: CountOptions,
): Promise<RowSink> {
  const rows = await StagedRows.create(client, COLUMNS, present, counter, {
    extraColumns: ['asset integer'],
    validateRow,
  })
  return {
    add: (values, line) => rows.add(values, line),
    flushIfFull: () => rows.flushIfFull(),
    validate: async () => {
      await rows.flush()
      await rows.resolve('asset_id', 'asset', 'assets')
      if (!erase) await rows.leaveOutEmpty('impressions')
      await rows.rejectConflicts('asset, date, country, region, city', 'this origin')
      await rows.reportRejected()
    },
    store: async () => {
      await client.query('ANALYZE staged')
      const { unchanged, ...figures } = await mergeOrigins(client, STAGED_ROWS)
      return { ...figures, unchanged: unchanged + rows.repeated }
    },
  }
}

const STAGED_ROWS = `SELECT s.asset, a.company, s.date, s.region, s.city, s.impressions FROM staged s JOIN assets a ON a.number = s.asset`

const validateRow = (value: ValueOf): string | undefined =>
  value('region').startsWith(value('country'))
    ? undefined
    : `region ${value('region')} is not in country ${value('country')}`
