/** The effect of daily imports on sensor_days: size, dead rows, and the cost of index-only scans before and after a vacuum. */
import { Readable } from 'node:stream'
import { dateOf, dayNumber } from '../../db/calendar/local-days'
import { importFile } from '../../db/import/import-file'
import { openPool } from '../../db/postgres/pool'
import { type Asset, LAST_DAY } from '../data/population'
import { type Database, select } from '../servers/bench-cluster'

/** The state of sensor_days, and the cost of summing the newest 30 days of an asset in an index-only scan. */
export interface TableState {
  when: string
  megabytes: number
  deadRows: number
  insertedSinceVacuum: number
  /** Mean per asset. */
  heapFetches: number
  milliseconds: number
}

export interface DailyImports {
  days: number
  rowsPerDay: number
  states: TableState[]
  /** Days after which autovacuum would process the table by its settings, if all sensors kept counting. */
  autovacuumAfterDays: number
  vacuumSeconds: number
}

const DAYS = 15

/**
 * Each import brings the counts of the day before, and a late correction of the previous day.
 *
 * @param assets whose sensors keep counting
 */
export async function measureDailyImports(database: Database, assets: readonly Asset[]): Promise<DailyImports> {
  const sensors = assets.flatMap(({ sensors }) => sensors.filter(({ minutes }) => minutes === 1))
  const numbers = assets.map(({ number }) => number)
  const states = [await stateOf(database, 'before', numbers)]
  const pool = openPool(database.ownerUrl, { max: 2 })
  try {
    for (let day = 1; day <= DAYS; day++) {
      const date = dateOf(dayNumber(LAST_DAY) + day)
      const rows = sensors.flatMap(({ serial }) => minutesOf(serial, date, day))
      const late =
        day === 1 ? [] : sensors.map(({ serial }) => `${serial},${dateOf(dayNumber(date) - 1)}T12:00,${day + 7}`)
      const lines = ['sensor,start,impressions', ...rows, ...late].join('\n')
      await importFile(pool, 'impressions', Readable.from([lines]))
    }
    states.push(await stateOf(database, `after ${DAYS} days`, numbers))
    const autovacuumAfterDays = await daysToAutovacuum(database)
    const started = performance.now()
    await pool.query('VACUUM (ANALYZE) sensor_days')
    const vacuumSeconds = (performance.now() - started) / 1000
    states.push(await stateOf(database, 'vacuumed', numbers))
    return { days: DAYS, rowsPerDay: sensors.length * 1440, states, autovacuumAfterDays, vacuumSeconds }
  } finally {
    await pool.end()
  }
}

const minutesOf = (serial: string, date: string, seed: number): string[] =>
  Array.from({ length: 1440 }, (_, minute) => {
    const time = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
    return `${serial},${date}T${time},${(minute * 31 + seed * 17) % 60}`
  })

async function daysToAutovacuum({ ownerUrl }: Database): Promise<number> {
  const [{ days }] = await select<{ days: number }>(
    ownerUrl,
    `SELECT least(
       current_setting('autovacuum_vacuum_insert_threshold')::float8
         + current_setting('autovacuum_vacuum_insert_scale_factor')::float8 * reltuples,
       current_setting('autovacuum_vacuum_threshold')::float8
         + current_setting('autovacuum_vacuum_scale_factor')::float8 * reltuples) / (SELECT count(*) FROM sensors) AS days
     FROM pg_class WHERE oid = 'sensor_days'::regclass`,
  )
  return days
}

async function stateOf({ ownerUrl }: Database, when: string, assets: number[]): Promise<TableState> {
  const pool = openPool(ownerUrl, { max: 1 })
  try {
    // Statistics are reported with a delay otherwise.
    await pool.query('SELECT pg_stat_force_next_flush()')
    const { rows } = await pool.query(
      `SELECT pg_total_relation_size(relid)::float8 / 1e6 AS megabytes, n_dead_tup::float8 AS dead,
         n_ins_since_vacuum::float8 AS inserted FROM pg_stat_user_tables WHERE relname = 'sensor_days'`,
    )
    await pool.query('SET enable_seqscan = off; SET enable_bitmapscan = off')
    const explain = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT a.number, sum(d.impressions), sum(d.observed)
      FROM unnest($1::integer[]) AS a (number) JOIN sensor_days d ON d.asset = a.number
      WHERE d.date > (SELECT max(date) - 30 FROM sensor_days WHERE asset = a.number) GROUP BY a.number`
    // The first execution reads the pages into the cache.
    await pool.query(explain, [assets])
    const plan = (await pool.query(explain, [assets])).rows[0]['QUERY PLAN'][0]
    return {
      when,
      megabytes: rows[0].megabytes,
      deadRows: rows[0].dead,
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
