/** Imports demographics: one row for each asset, date, gender and age band. An asset-day is stored as one row of all groups. */
import { MAX_COUNT } from '../../db/calendar/packed-counts'
import { date, indexIn, integer, reference, required } from '../../db/columns'
import type { StoredFigures } from '../../db/figures'
import { AGE_BANDS, GENDERS, GROUP_COLUMNS } from '../../db/queries/demographics'
import { openAudience } from './audience'

const COLUMNS = {
  asset_id: required(reference),
  date: required(date),
  gender: required(indexIn(GENDERS)),
  age_band: required(indexIn(AGE_BANDS)),
  impressions: integer(0, MAX_COUNT),
}

export const DEMOGRAPHIC_COLUMNS = Object.keys(COLUMNS)

/** Index of a row's group in GROUP_COLUMNS. */
const GROUP = `(age_band * ${GENDERS.length} + gender)`

const SAME_DAY = '(t.asset, t.date) = (s.asset, s.date)'

const listColumns = (row: string): string => GROUP_COLUMNS.map(column => `${row}.${column}`).join(', ')

const COMPARE = `
  SELECT count(*) FILTER (WHERE s.impressions IS DISTINCT FROM stored.impressions AND s.impressions IS NOT NULL)::integer AS stored,
    count(*) FILTER (WHERE s.impressions IS NULL AND stored.impressions IS NOT NULL)::integer AS erased,
    count(*) FILTER (WHERE s.impressions IS NOT DISTINCT FROM stored.impressions)::integer AS unchanged
  FROM staged s LEFT JOIN demographic_days t ON ${SAME_DAY}
    CROSS JOIN LATERAL (SELECT (ARRAY[${listColumns('t')}])[${GROUP} + 1] AS impressions) AS stored`

/** The staged rows by asset-day. `given` has a bit for each group with a row, even if its value is empty. */
const STAGED_DAYS = `
  SELECT asset, date, bit_or(1 << ${GROUP}) AS given,
    ${GROUP_COLUMNS.map((column, i) => `max(impressions) FILTER (WHERE ${GROUP} = ${i}) AS ${column}`).join(', ')}
  FROM staged GROUP BY asset, date`

const merged = (column: string, i: number): string =>
  `CASE WHEN s.given & ${1 << i} > 0 THEN s.${column} ELSE t.${column} END`

/** Days without any count are deleted. */
const MERGE = `
  INSERT INTO demographic_days AS t (asset, company, date, ${GROUP_COLUMNS})
    SELECT s.asset, a.company, s.date, ${GROUP_COLUMNS.map(merged).join(', ')}
    FROM (${STAGED_DAYS}) s JOIN assets a ON a.number = s.asset LEFT JOIN demographic_days t ON ${SAME_DAY}
    -- A day that is neither stored nor given a count would be a change.
    WHERE t.asset IS NOT NULL OR num_nonnulls(${listColumns('s')}) > 0
  ON CONFLICT (asset, date) DO UPDATE SET (${GROUP_COLUMNS}) = (${listColumns('excluded')})
    WHERE (${listColumns('t')}) IS DISTINCT FROM (${listColumns('excluded')});
  DELETE FROM demographic_days t USING staged s WHERE ${SAME_DAY} AND num_nonnulls(${listColumns('t')}) = 0`

export const openDemographics = openAudience({
  columns: COLUMNS,
  key: 'asset, date, gender, age_band',
  subject: 'this group',
  async merge(client) {
    const { rows } = await client.query<Required<StoredFigures>>(COMPARE)
    await client.query(MERGE)
    return rows[0]!
  },
})
