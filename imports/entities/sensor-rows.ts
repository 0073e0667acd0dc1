/** The staged rows of `sensors`, by sensor: a file may have several rows of one, each with another `installed_at`. */
import type { ClientBase } from 'pg'
import { quote } from '../../db/file-errors'

/** A staged row with what is stored of its sensor. Instants are in seconds since 1970. */
export interface StagedSensor {
  line: number
  id: string
  serial: string | null
  target: number | null
  asset: number | null
  company: number
  zone: string
  vendor: number
  model: string
  native_minutes: number
  installed_at: number | null
  removed_at: number | null
  now: number
}

/** Returns the rows of each sensor, ascending by `installed_at`, and the reasons why rows are rejected, by line. */
export async function readSensorRows(
  client: ClientBase,
): Promise<{ groups: StagedSensor[][]; reasons: Map<number, string> }> {
  const { rows } = await client.query<StagedSensor>(`
    SELECT s.line, s.id, s.serial, s.target, s.asset, s.company, a.time_zone AS zone, s.vendor,
      coalesce(s.model, t.model) AS model, s.native_minutes,
      extract(epoch FROM s.installed_at)::float8 AS installed_at, extract(epoch FROM s.removed_at)::float8 AS removed_at,
      extract(epoch FROM now())::float8 AS now
    FROM staged s LEFT JOIN sensors t ON t.number = s.target LEFT JOIN assets a ON a.number = s.asset
    ORDER BY s.period, s.line`)
  const groups = new Map<number | string, StagedSensor[]>()
  const reasons = new Map<number, string>()
  const named = new Map<string, { key: number | string; line: number }>()
  for (const row of rows) {
    const key = row.target ?? (row.serial as string)
    const group = groups.get(key) ?? []
    const reason = findConflict(row, group[0]) ?? findNameConflict(row, key, named)
    if (reason) {
      reasons.set(row.line, reason)
      continue
    }
    group.push(row)
    groups.set(key, group)
  }
  return { groups: [...groups.values()], reasons }
}

function findConflict(row: StagedSensor, first: StagedSensor | undefined): string | undefined {
  if (!first) return undefined
  if (first.installed_at === null) return `the sensor has another row on line ${first.line}: each needs an installed_at`
  const isOther = row.target === null && row.id !== null && first.id !== null && row.id !== first.id
  return isOther ? `the sensor has another id on line ${first.line}` : undefined
}

/** Returns why a row is rejected whose id or serial another sensor of the file has. */
function findNameConflict(
  { id, serial, line }: StagedSensor,
  key: number | string,
  named: Map<string, { key: number | string; line: number }>,
): string | undefined {
  const names = { id, serial }
  for (const [column, name] of Object.entries(names)) {
    if (name === null) continue
    const other = named.get(`${column} ${name}`)
    if (other && other.key !== key) return `${column} ${quote(name)} is that of another sensor on line ${other.line}`
    named.set(`${column} ${name}`, { key, line })
  }
  return undefined
}
