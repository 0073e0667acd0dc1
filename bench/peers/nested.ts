/** The nested GraphQL query of the benchmarks, answered by hand: one statement, and JSON.stringify on its result. */
import { average } from '../../resolvers/ratios'
import { healthOf } from '../../resolvers/sensors'
import { bucketsOf, coverageOf, type MeasurementRow } from './buckets'
import { INSTALLATIONS, SCOPE_OF_KEY } from './statements'

/** One row for each asset of the page and for one more, followed by its sensor-days. $1: key hash, $2 and $3: dates. */
const NESTED = {
  name: 'nested',
  text: `
WITH a AS MATERIALIZED (
  SELECT number, id, name, city, time_zone FROM assets WHERE company = ANY (${SCOPE_OF_KEY})
    AND EXISTS (SELECT FROM api_keys WHERE hash = $1 AND 'internal:graphql:read' = ANY (scopes)) ORDER BY id LIMIT 51
)
SELECT a.number, a.id, a.name, a.city, (
    SELECT coalesce(json_agg(json_build_object('id', id, 'serial', serial, 'model', model, 'status', health_status,
      'checkedAt', health_checked_at) ORDER BY id), '[]') FROM sensors WHERE asset = a.number
  ) AS sensors, a.time_zone, ${INSTALLATIONS} AS installations, NULL::integer AS sensor, NULL::date AS date,
  NULL::smallint AS minutes, NULL::bigint AS impressions, NULL::smallint AS observed
FROM a
UNION ALL
SELECT d.asset, a.id, NULL, NULL, NULL, NULL, NULL, d.sensor, d.date, d.native_minutes, d.impressions, d.observed
FROM a JOIN sensor_days d ON d.asset = a.number AND d.date BETWEEN $2 AND $3
ORDER BY 2, 8 NULLS FIRST`,
}

interface Row extends MeasurementRow {
  id: string
  name: string
  city: string | null
  sensors: { id: string; serial: string; model: string; status: never; checkedAt: string | null }[]
}

interface Query {
  query(statement: object): Promise<{ rows: Row[] }>
}

const LIMIT = 50

/** @param body of the request */
export async function nested(pool: Query, keyHash: Buffer, body: string): Promise<string> {
  const { from, to } = JSON.parse(body).variables as { from: string; to: string }
  const { rows } = await pool.query({ ...NESTED, values: [keyHash, from, to] })
  const assets: Row[][] = []
  for (const row of rows) {
    if (row.sensor === null) assets.push([row])
    else assets.at(-1)?.push(row)
  }
  const nodes = assets.slice(0, LIMIT).map(asset => nodeOf(asset, from, to))
  const data = { assets: { nodes, hasMore: assets.length > LIMIT } }
  return `${JSON.stringify({ data })}\n`
}

function nodeOf(rows: Row[], from: string, to: string) {
  const [{ id, name, city, sensors }] = rows as [Row]
  const buckets = bucketsOf(rows, from, to, 'day', true)
  const { names, sums, observed, total, withData } = buckets
  return {
    ...{ id, name, city },
    sensors: sensors.map(({ id, serial, model, status, checkedAt }) => {
      const at = checkedAt?.replace('+00:00', 'Z') ?? null
      const row = { healthStatus: status, healthCheckedAt: at, healthLastSeenAt: null, healthReason: null }
      const health = healthOf(row, Date.now())
      return { id, serial, model, health: { status: health.status, checkedAt: health.checkedAt } }
    }),
    impressions: {
      daily: {
        total,
        average: average(total, withData),
        rows: names.map((date, i) => ({
          date,
          impressions: observed[i] === 0 ? null : (sums[i] as number),
          coverage: coverageOf(buckets, i),
        })),
      },
    },
  }
}
