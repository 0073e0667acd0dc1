/** Imports numbers of assets by date and group: origins by home city, and demographics by gender and age band. */
import type { ClientBase } from 'pg'
import { MAX_COUNT } from '../../db/calendar/packed-counts'
import { type Column, country, date, indexIn, integer, reference, region, required, text } from '../../db/columns'
import { mergeOrigins } from '../../db/counts/merge-origins'
import type { StoredFigures } from '../../db/figures'
import { AGE_BANDS, GENDERS, GROUP_COLUMNS } from '../../db/queries/demographics'
import type { RowCounter, RowSink } from '../row-sink'
import { StagedRows, type ValueOf } from '../staged-rows'
import type { CountOptions } from './count-options'

interface Audience {
  columns: Record<string, Column>
  /** The columns of `staged` that identify a number, and what it is in messages. */
  key: string
  subject: string
  /** Merges `staged` with what is stored. */
  merge(client: ClientBase): Promise<StoredFigures>
  validateRow?: (value: ValueOf) => string | undefined
}

/** Returns what opens the sink of a file. */
const openAudience =
  ({ columns, key, subject, merge, ...options }: Audience) =>
  async (
    client: ClientBase,
    present: readonly string[],
    counter: RowCounter,
    { erase }: CountOptions,
  ): Promise<RowSink> => {
    const rows = await StagedRows.create(client, columns, present, counter, {
      extraColumns: ['asset integer'],
      ...options,
    })
    return {
      add: (values, line) => rows.add(values, line),
      flushIfFull: () => rows.flushIfFull(),
      validate: async () => {
        await rows.flush()
        await rows.resolve('asset_id', 'asset', 'assets')
        if (!erase) await rows.leaveOutEmpty('impressions')
        await rows.rejectConflicts(key, subject)
        await rows.reportRejected()
      },
      store: async () => {
        await client.query('ANALYZE staged')
        const { unchanged, ...figures } = await merge(client)
        return { ...figures, unchanged: unchanged + rows.repeated }
      },
    }
  }

const ORIGINS = {
  asset_id: required(reference),
  date: required(date),
  country: required(country),
  region: required(region),
  city: required(text(200)),
  impressions: integer(0, MAX_COUNT),
}

export const ORIGIN_COLUMNS = Object.keys(ORIGINS)

const STAGED_ROWS = `
  SELECT s.asset, a.company, s.date, s.region, s.city, s.impressions FROM staged s JOIN assets a ON a.number = s.asset`

const validateRow = (value: ValueOf): string | undefined =>
  value('region').startsWith(value('country'))
    ? undefined
    : `region ${value('region')} is not in country ${value('country')}`

export const openOrigins = openAudience({
  columns: ORIGINS,
  key: 'asset, date, country, region, city',
  subject: 'this origin',
  merge: client => mergeOrigins(client, STAGED_ROWS),
  validateRow,
})

const DEMOGRAPHICS = {
  asset_id: required(reference),
  date: required(date),
  gender: required(indexIn(GENDERS)),
  age_band: required(indexIn(AGE_BANDS)),
  impressions: integer(0, MAX_COUNT),
}

export const DEMOGRAPHIC_COLUMNS = Object.keys(DEMOGRAPHICS)

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

/** The staged rows by asset-day, which is stored as one row. `given` has a bit for each group with a row. */
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
  columns: DEMOGRAPHICS,
  key: 'asset, date, gender, age_band',
  subject: 'this group',
  async merge(client) {
    const { rows } = await client.query<Required<StoredFigures>>(COMPARE)
    await client.query(MERGE)
    return rows[0]!
  },
})
