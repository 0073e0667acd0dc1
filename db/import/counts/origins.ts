/** Origins from rows: where an asset's audience of a day lives. */
import type { ClientBase } from 'pg'
import { MAX_COUNT } from '../../calendar/packed-counts'
import { country, date, reference, region, required, text, whole } from '../csv/values'
import type { Tally } from '../figures'
import type { RowSink } from '../row-sink'
import { StagedRows } from './staged-rows'

const columns = {
  asset_id: required(reference),
  date: required(date),
  country: required(country),
  region: required(region),
  city: required(text(200)),
  impressions: required(whole(0, MAX_COUNT)),
}

export const ORIGINS = Object.keys(columns)

export async function takeOrigins(client: ClientBase, present: readonly string[], tally: Tally): Promise<RowSink> {
  const rows = await StagedRows.open(client, columns, present, tally, ['asset integer'])
  const check = (value: (column: string) => string) =>
    value('region').startsWith(value('country'))
      ? undefined
      : `region ${value('region')} does not lie in country ${value('country')}`
  return {
    take: (values, line) => rows.take(values, line, check),
    settle: () => rows.settle(),
    check: async () => {
      await rows.flush()
      await rows.resolve('asset_id', 'asset', { table: 'assets', by: ['id', 'legacy_id'] })
      await rows.rejectTwins('asset, date, country, region, city', 'this origin')
      await rows.reportFaults()
    },
    store: async () => {
      const { rows: all } = await client.query('SELECT count(*)::integer AS n FROM staged')
      const { rowCount } = await client.query(`
        INSERT INTO origins AS t (asset, company, date, country, region, city, impressions)
        SELECT s.asset, a.company, s.date, s.country, s.region, s.city, s.impressions
        FROM staged s JOIN assets a ON a.number = s.asset ORDER BY s.asset, s.date
        ON CONFLICT (asset, date, country, region, city) DO UPDATE SET impressions = excluded.impressions
          WHERE t.impressions <> excluded.impressions`)
      const stored = rowCount ?? 0
      return { stored, unchanged: all[0].n - stored + rows.repeated }
    },
  }
}
