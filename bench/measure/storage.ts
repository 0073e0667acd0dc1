/** What is on disk, and what daily imports do to it: sizes, dead rows, and what the newest days cost before a vacuum and after. */
import { Readable } from 'node:stream'
import { dateOf, dayNumber } from '../../db/calendar/local-days'
import { importFile } from '../../db/import/import-file'
import { openPool } from '../../db/postgres/pool'
import type { Asset } from '../data/population'
import { LAST_DAY } from '../data/population'
import type { Database } from '../servers/bench-cluster'
import { ask } from '../servers/bench-cluster'

/** Bytes. */
export interface Relation {
  name: string
  /** Null for an index. */
  rows: number | null
  bytes: number
}

export async function relationsOf(database: Database): Promise<Relation[]> {
  return ask(
    database.ownerUrl,
    `SELECT CASE relkind WHEN 'r' THEN relname ELSE '– ' || relname END AS name,
       CASE relkind WHEN 'r' THEN reltuples::bigint::float8 END AS rows,
       (CASE relkind WHEN 'r' THEN pg_table_size(c.oid) ELSE pg_relation_size(c.oid) END)::float8 AS bytes
     FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')
       AND (SELECT pg_total_relation_size(t.oid) FROM pg_class t WHERE t.oid = coalesce(i.indrelid, c.oid)) > 1000000
     ORDER BY (SELECT pg_total_relation_size(t.oid) FROM pg_class t WHERE t.oid = coalesce(i.indrelid, c.oid)) DESC,
       coalesce(i.indrelid, c.oid), relkind DESC, relname`,
  )
}

/** How sensor_days stand, and what it costs to read the newest 30 days of an asset from the index. */
export interface Standing {
  when: string
  megabytes: number
  dead: number
  insertedSinceVacuum: number
  heapFetches: number
  milliseconds: number
}

export interface DailyImports {
  days: number
  rowsADay: number
  standings: Standing[]
  /** If all sensors counted on, autovacuum would look after the table by itself after so many days, by its settings. */
  autovacuumAfterDays: number
  vacuumSeconds: number
}

const DAYS = 15

/**
 * Each day brings the counts of the day before, and a late correction of the one before that.
 *
 * @param assets those whose sensors count on
 */
export async function importDaily(database: Database, assets: readonly Asset[]): Promise<DailyImports> {
  const sensors = assets.flatMap(({ sensors, number, zone }) =>
    sensors.filter(({ minutes }) => minutes === 1).map(sensor => ({ ...sensor, asset: number, zone })),
  )
  const numbers = assets.map(({ number }) => number)
  const standings = [await standing(database, 'before', numbers)]
  const pool = openPool(database.ownerUrl, { max: 2 })
  try {
    for (let day = 1; day <= DAYS; day++) {
      const date = dateOf(dayNumber(LAST_DAY) + day)
      const rows = sensors.flatMap(({ serial }) => minutesOf(serial, date, day))
      const late =
        day === 1 ? [] : sensors.map(({ serial }) => `${serial},${dateOf(dayNumber(date) - 1)}T12:00,${day + 7}`)
      const lines = ['sensor,start,impressions', ...rows, ...late].join('\n')
      await importFile(pool, 'impressions', { name: date, stream: Readable.from([lines]) })
    }
    standings.push(await standing(database, `after ${DAYS} days`, numbers))
    const [{ after }] = await ask<{ after: number }>(
      database.ownerUrl,
      `SELECT least(
         current_setting('autovacuum_vacuum_insert_threshold')::float8
           + current_setting('autovacuum_vacuum_insert_scale_factor')::float8 * reltuples,
         current_setting('autovacuum_vacuum_threshold')::float8
           + current_setting('autovacuum_vacuum_scale_factor')::float8 * reltuples) / (SELECT count(*) FROM sensors) AS after
       FROM pg_class WHERE oid = 'sensor_days'::regclass`,
    )
    const began = performance.now()
    await pool.query('VACUUM (ANALYZE) sensor_days')
    const vacuumSeconds = (performance.now() - began) / 1000
    standings.push(await standing(database, 'vacuumed', numbers))
    const rowsADay = sensors.length * 1440
    return { days: DAYS, rowsADay, standings, autovacuumAfterDays: after, vacuumSeconds }
  } finally {
    await pool.end()
  }
}

const minutesOf = (serial: string, date: string, seed: number): string[] =>
  Array.from({ length: 1440 }, (_, minute) => {
    const time = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
    return `${serial},${date}T${time},${(minute * 31 + seed * 17) % 60}`
  })

async function standing({ ownerUrl }: Database, when: string, assets: number[]): Promise<Standing> {
  const pool = openPool(ownerUrl, { max: 1 })
  try {
    // What has been done is counted with a delay.
    await pool.query('SELECT pg_stat_force_next_flush()')
    const { rows } = await pool.query(
      `SELECT pg_total_relation_size(relid)::float8 / 1e6 AS megabytes, n_dead_tup::float8 AS dead,
         n_ins_since_vacuum::float8 AS inserted FROM pg_stat_user_tables WHERE relname = 'sensor_days'`,
    )
    await pool.query('SET enable_seqscan = off; SET enable_bitmapscan = off')
    const explain = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT a.number, sum(d.impressions), sum(d.observed)
      FROM unnest($1::integer[]) AS a (number) JOIN sensor_days d ON d.asset = a.number
      WHERE d.date > (SELECT max(date) - 30 FROM sensor_days WHERE asset = a.number) GROUP BY a.number`
    await pool.query(explain, [assets])
    const plan = (await pool.query(explain, [assets])).rows[0]['QUERY PLAN'][0]
    return {
      when,
      megabytes: rows[0].megabytes,
      dead: rows[0].dead,
      insertedSinceVacuum: rows[0].inserted,
      heapFetches: heapFetchesOf(plan.Plan) / assets.length,
      milliseconds: plan['Execution Time'] / assets.length,
    }
  } finally {
    await pool.end()
  }
}

interface Plan {
  'Heap Fetches'?: number
  Plans?: Plan[]
}

const heapFetchesOf = ({ 'Heap Fetches': fetches = 0, Plans = [] }: Plan): number =>
  Plans.reduce((sum, plan) => sum + heapFetchesOf(plan), fetches)
