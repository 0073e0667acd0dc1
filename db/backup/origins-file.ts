/** The file of origins: a row for each asset, local day and home city. They are stored by month, with packed days. */
import { to } from 'pg-copy-streams'
import { copyIn } from '../counts/copy'
import { mergeOrigins } from '../counts/merge-origins'
import type { BackupFile } from './backup-file'

const COLUMNS = ['asset_id', 'date', 'country', 'region', 'city', 'impressions']

const READ = `COPY (
  SELECT (SELECT id FROM assets WHERE number = o.asset), o.date, o.country, o.region, o.city, o.impressions
  FROM origins o ORDER BY o.asset, o.month, o.date, o.country, o.region, o.city
) TO STDOUT (FORMAT csv)`

export const originsFile: BackupFile = {
  name: 'origins',
  table: 'origin_months',
  columns: COLUMNS,
  tableColumns: ['asset', 'company', 'month', 'places', 'days'],
  isEmptyAtFirst: true,
  async *read(client) {
    const rows = client.query(to(READ))
    yield* rows
    return rows.rowCount
  },
  async open(client) {
    await client.query(`
      CREATE TEMPORARY TABLE staged_origins (
        asset_id text, date date, country text, region text CHECK (left(region, 2) = country), city text,
        impressions bigint NOT NULL CHECK (impressions >= 0)
      ) ON COMMIT DROP`)
    return {
      async store(records) {
        await copyIn(client, `COPY staged_origins (${COLUMNS}) FROM STDIN (FORMAT csv)`, [records])
        const { stored } = await mergeOrigins(
          client,
          'SELECT a.number AS asset, a.company, s.* FROM staged_origins s LEFT JOIN assets a ON a.id = s.asset_id',
        )
        await client.query('TRUNCATE staged_origins')
        return stored
      },
      async finish() {},
    }
  },
}
