/** Demographics from rows: each is one group of an asset-day, of which all groups stand together in one row. */
import type { ClientBase } from 'pg'
import { AGE_BANDS, GENDERS } from '../../../schema/demographic-groups'
import { MAX_COUNT } from '../../calendar/packed-counts'
import { GROUP_COLUMNS } from '../../queries/demographics'
import { date, placeIn, reference, required, whole } from '../csv/values'
import type { Tally } from '../figures'
import type { RowSink } from '../row-sink'
import type { Merged } from './merge'
import { StagedRows } from './staged-rows'

const columns = {
  asset_id: required(reference),
  date: required(date),
  gender: required(placeIn(GENDERS)),
  age_band: required(placeIn(AGE_BANDS)),
  impressions: whole(0, MAX_COUNT),
}

export const DEMOGRAPHICS = Object.keys(columns)

/** Which of an asset-day's groups a row tells of, from 0. */
const CELL = `(age_band * ${GENDERS.length} + gender)`

const SAME_DAY = '(t.asset, t.date) = (s.asset, s.date)'

const columnsOf = (row: string): string => GROUP_COLUMNS.map(group => `${row}.${group}`).join(', ')

export async function takeDemographics(client: ClientBase, present: readonly string[], tally: Tally): Promise<RowSink> {
  const rows = await StagedRows.open(client, columns, present, tally, ['asset integer'])
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
      await client.query('ANALYZE staged')
      const { rows: counted } = await client.query<Merged>(`
        SELECT count(*) FILTER (WHERE s.impressions IS DISTINCT FROM known.impressions)::integer AS stored,
          count(*) FILTER (WHERE s.impressions IS NOT DISTINCT FROM known.impressions)::integer AS unchanged
        FROM staged s LEFT JOIN demographic_days t ON ${SAME_DAY}
          CROSS JOIN LATERAL (SELECT (ARRAY[${columnsOf('t')}])[${CELL} + 1] AS impressions) AS known`)
      await client.query(MERGE)
      const { stored, unchanged } = counted[0] as Merged
      return { stored, unchanged: unchanged + rows.repeated }
    },
  }
}

/** What the file tells of each asset-day; `told` has a bit for each group that it speaks of, even where it says nothing. */
const TOLD = `
  SELECT asset, date, bit_or(1 << ${CELL}) AS told,
    ${GROUP_COLUMNS.map((group, cell) => `max(impressions) FILTER (WHERE ${CELL} = ${cell}) AS ${group}`).join(', ')}
  FROM staged GROUP BY asset, date`

const MERGE = `
  INSERT INTO demographic_days AS t (asset, company, date, ${GROUP_COLUMNS})
    SELECT s.asset, a.company, s.date,
      ${GROUP_COLUMNS.map((group, cell) => `CASE WHEN s.told & ${1 << cell} > 0 THEN s.${group} ELSE t.${group} END`).join(', ')}
    FROM (${TOLD}) s JOIN assets a ON a.number = s.asset LEFT JOIN demographic_days t ON ${SAME_DAY}
  ON CONFLICT (asset, date) DO UPDATE SET (${GROUP_COLUMNS}) = (${columnsOf('excluded')})
    WHERE (${columnsOf('t')}) IS DISTINCT FROM (${columnsOf('excluded')});
  DELETE FROM demographic_days t USING staged s WHERE ${SAME_DAY} AND num_nonnulls(${columnsOf('t')}) = 0`
