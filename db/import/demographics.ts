/** Demographics from rows: each is one group of an asset-day, of which all groups stand together in one row. */
import type { ClientBase } from 'pg'
import { AGE_BANDS, GENDERS } from '../../schema/demographic-groups'
import { GROUP_COLUMNS } from '../demographics'
import { MAX_COUNT } from '../packing'
import type { Tally } from './figures'
import type { Intake } from './intake'
import type { Merged } from './merging'
import { literal, StagedRows } from './staged-rows'
import { date, oneOf, reference, required, whole } from './values'

const columns = {
  asset_id: required(reference),
  date: required(date),
  gender: required(oneOf(GENDERS)),
  age_band: required(oneOf(AGE_BANDS)),
  impressions: whole(0, MAX_COUNT),
}

export const DEMOGRAPHICS = Object.keys(columns)

const list = (names: readonly string[]): string => `ARRAY[${names.map(literal).join(', ')}] COLLATE "C"`

/** Which of an asset-day's groups a row tells of, from 1. */
const CELL = `(array_position(${list(AGE_BANDS)}, s.age_band) - 1) * ${GENDERS.length} + array_position(${list(GENDERS)}, s.gender)`

const SAME_DAY = '(t.asset, t.date) = (s.asset, s.date)'

const columnsOf = (row: string): string => GROUP_COLUMNS.map(group => `${row}.${group}`).join(', ')

export async function takeDemographics(client: ClientBase, present: readonly string[], tally: Tally): Promise<Intake> {
  const rows = await StagedRows.open(client, columns, present, tally, ['asset integer', 'cell integer'])
  return {
    take: (values, line) => rows.take(values, line),
    settle: () => rows.settle(),
    check: async () => {
      await rows.flush()
      await rows.resolve('asset_id', 'asset', { table: 'assets', by: ['id', 'legacy_id'] })
      await rows.rejectTwins('asset, date, gender, age_band', 'this group')
      await rows.reportFaults()
    },
    store: async () => {
      await client.query(`
        UPDATE staged s SET cell = ${CELL};
        CREATE INDEX ON staged (asset, date, cell);
        ANALYZE staged`)
      const { rows: counted } = await client.query<Merged>(`
        SELECT count(*) FILTER (WHERE s.impressions IS DISTINCT FROM known.impressions)::integer AS stored,
          count(*) FILTER (WHERE s.impressions IS NOT DISTINCT FROM known.impressions)::integer AS unchanged
        FROM staged s LEFT JOIN demographic_days t ON ${SAME_DAY}
          CROSS JOIN LATERAL (SELECT (ARRAY[${columnsOf('t')}])[s.cell] AS impressions) AS known`)
      await client.query(MERGE)
      const { stored, unchanged } = counted[0] as Merged
      return { stored, unchanged: unchanged + rows.repeated }
    },
  }
}

const MERGE = `
  INSERT INTO demographic_days AS t (asset, company, date, ${GROUP_COLUMNS})
    SELECT d.asset, a.company, d.date, ${GROUP_COLUMNS.map((_, i) => `d.impressions[${i + 1}]`)}
    FROM (
      SELECT known.asset, known.date,
        array_agg(CASE WHEN s.line IS NULL THEN known.impressions[c] ELSE s.impressions END ORDER BY c) AS impressions
      FROM (
          SELECT s.asset, s.date, ARRAY[${columnsOf('t')}] AS impressions
          FROM (SELECT DISTINCT asset, date FROM staged) s LEFT JOIN demographic_days t ON ${SAME_DAY}
        ) AS known CROSS JOIN generate_series(1, ${GROUP_COLUMNS.length}) c
        LEFT JOIN staged s ON (s.asset, s.date, s.cell) = (known.asset, known.date, c)
      GROUP BY known.asset, known.date
    ) d JOIN assets a ON a.number = d.asset
  ON CONFLICT (asset, date) DO UPDATE SET (${GROUP_COLUMNS}) = (${columnsOf('excluded')})
    WHERE (${columnsOf('t')}) IS DISTINCT FROM (${columnsOf('excluded')});
  DELETE FROM demographic_days t USING staged s WHERE ${SAME_DAY} AND num_nonnulls(${columnsOf('t')}) = 0`
