/**
 * Imports companies, vendors, assets and sensors. A row whose id or natural key exists updates the columns that the
 * file has; any other row creates an entity.
 */
import type { ClientBase } from 'pg'
import type { Column } from '../../db/columns'
import { ENTITIES, type EntityKind, makeId, referencesSql } from '../../db/references'
import type { RowCounter, RowSink } from '../row-sink'
import { StagedRows, type ValueOf } from '../staged-rows'

export interface EntityDefinition {
  table: EntityKind
  columns: Record<string, Column>
  /** Further columns of `staged`, with their types. */
  extraColumns?: readonly string[]
  /** A column of `staged` by which rows of one entity may differ. `validate` merges them. */
  period?: string
  /** Columns of the table whose value is not the file's column of the same name, with their SQL. */
  storedColumns?: (has: (column: string) => boolean) => Record<string, string>
  /** Columns of the file that the table does not have, because `storedColumns` replace them. */
  replacedColumns?: readonly string[]
  /** SQL: whether a row changes what other tables have of its entity. */
  isChanged?: string
  /** Resolves references and rejects rows; `staged.target` is the number of the entity, if it exists. */
  validate?: (rows: StagedRows, client: ClientBase) => Promise<void>
  /** Runs after the entities were written. */
  afterStore?: (rows: StagedRows, client: ClientBase) => Promise<void>
  /** The time zones of rows' local times; UTC by default. */
  zones?: RowZones
}

export interface RowZones {
  /** Returns the zone of a row; undefined if only the other rows of the file show it. */
  findZone(value: ValueOf): string | undefined
  /** Returns the zone of such a row, after the whole file was read. */
  findLateZone(value: ValueOf): string
}

const UTC: RowZones = { findZone: () => 'UTC', findLateZone: () => 'UTC' }

export async function openEntities(
  client: ClientBase,
  entity: EntityDefinition,
  present: readonly string[],
  counter: RowCounter,
): Promise<RowSink> {
  const { table, columns, extraColumns = [], period, validate, afterStore, zones = UTC } = entity
  const { noun, naturalKey } = ENTITIES[table]
  const rows = await StagedRows.create(client, columns, present, counter, {
    extraColumns: ['target integer', ...extraColumns],
    validateRow: value =>
      value('id') === '' && value(naturalKey) === '' ? `id or ${naturalKey} is required` : undefined,
  })
  const late: { values: readonly string[]; line: number }[] = []
  return {
    add: (values, line) => {
      const zone = zones.findZone(rows.bindRow(values))
      if (zone !== undefined) return rows.add(values, line, zone)
      const { reason } = rows.parse(values, line)
      if (!reason) late.push({ values, line })
      return reason
    },
    flushIfFull: () => rows.flushIfFull(),
    validate: async () => {
      for (const { values, line } of late) {
        const reason = rows.add(values, line, zones.findLateZone(rows.bindRow(values)))
        if (reason) counter.reject({ line, reason })
      }
      await rows.flush()
      await findExisting(rows, client, entity)
      const within = period ? `, ${period}` : ''
      await rows.rejectConflicts(`target${within}`, `the ${noun}`)
      await rows.rejectConflicts(`id${within}`, 'its id')
      await rows.rejectConflicts(`${naturalKey}${within}`, `its ${naturalKey}`)
      await rejectIncomplete(rows, entity)
      await validate?.(rows, client)
      await assignIds(client)
      await rows.reportRejected()
    },
    store: async () => {
      const values = storedValues(rows, entity)
      const count = await rows.count()
      const updated = await update(client, entity, values)
      const { rowCount } = await client.query(`
        INSERT INTO ${table} (${Object.keys(values).join(', ')})
        SELECT ${Object.values(values).join(', ')} FROM staged s LEFT JOIN ${table} t ON false
        WHERE s.target IS NULL ORDER BY s.line`)
      await afterStore?.(rows, client)
      const stored = updated + (rowCount ?? 0)
      return { stored: stored + rows.merged, unchanged: count - stored + rows.repeated }
    },
  }
}

/** Updates the entities that differ from their row; returns how many did. */
async function update(client: ClientBase, entity: EntityDefinition, values: Record<string, string>): Promise<number> {
  const compared = Object.entries(values).filter(([column]) => column !== 'id')
  if (compared.length === 0) return 0
  const { rowCount } = await client.query(`
    UPDATE ${entity.table} t SET ${compared.map(([column, value]) => `${column} = ${value}`).join(', ')}
    FROM staged s WHERE t.number = s.target AND (${entity.isChanged ?? 'false'}
      OR row(${compared.map(([column]) => `t.${column}`).join(', ')})
        IS DISTINCT FROM row(${compared.map(([, value]) => value).join(', ')}))`)
  return rowCount ?? 0
}

/** Sets `target` of the rows whose entity exists; rejects rows whose id and natural key identify different entities. */
async function findExisting(rows: StagedRows, client: ClientBase, entity: EntityDefinition): Promise<void> {
  const { table } = entity
  const { noun, naturalKey: key } = ENTITIES[table]
  if (rows.has(key)) {
    await client.query(`UPDATE staged s SET target = t.number FROM ${table} t WHERE t.${key} = s.${key}`)
    await rows.reject(
      `'${key} ' || to_json(left(s.${key}::text, 60)) || ' belongs to the ${noun} ' || t.id`,
      's.id IS NOT NULL AND t.number = s.target AND t.id <> s.id',
      `${table} t`,
    )
  }
  if (rows.has('id')) {
    await client.query(`UPDATE staged s SET target = t.number FROM ${table} t WHERE s.target IS NULL AND t.id = s.id`)
  }
}

/** Makes ids for new rows without one. */
export async function assignIds(client: ClientBase): Promise<void> {
  const { rows } = await client.query('SELECT line FROM staged WHERE target IS NULL AND id IS NULL')
  await client.query(
    `UPDATE staged s SET id = made.id FROM unnest($1::bigint[], $2::text[]) made (line, id) WHERE s.line = made.line`,
    [rows.map(({ line }) => line), rows.map(() => makeId())],
  )
}

async function rejectIncomplete(rows: StagedRows, { table, columns }: EntityDefinition): Promise<void> {
  for (const [name, { required }] of Object.entries(columns)) {
    if (!required || rows.has(name)) continue
    await rows.reject(`'${name} is required for a new ${ENTITIES[table].noun}'`, 's.target IS NULL')
  }
}

/** Returns the columns that are written, with the SQL of their values from `s` (staged) and `t` (stored). */
function storedValues(rows: StagedRows, entity: EntityDefinition): Record<string, string> {
  const { columns, replacedColumns = [], storedColumns } = entity
  const values: Record<string, string> = { id: 's.id' }
  for (const [name, { defaultValue }] of Object.entries(columns)) {
    if (name === 'id' || replacedColumns.includes(name)) continue
    if (defaultValue) values[name] = `coalesce(s.${name}, t.${name}, ${defaultValue})`
    else if (rows.has(name)) values[name] = `s.${name}`
  }
  return { ...values, ...storedColumns?.(column => rows.has(column)) }
}

export interface TimeZones {
  /** By id, legacy id or unique name. */
  ofAsset(name: string): string | undefined
  /** By id or serial; undefined for a sensor without an asset. */
  ofSensor(name: string): string | undefined
}

export async function loadTimeZones(client: ClientBase): Promise<TimeZones> {
  // The last one of equal references is kept.
  const load = async (kind: EntityKind, asset: string) => {
    const { rows } = await client.query<[string, string]>({
      text: `SELECT r.reference, a.time_zone FROM ${referencesSql(kind, 'keys and name')} AS r
        JOIN ${kind} t ON t.number = r.number JOIN assets a ON a.number = t.${asset}
        WHERE r.entities = 1 ORDER BY r.rank DESC`,
      rowMode: 'array',
    })
    return new Map(rows)
  }
  const [assets, sensors] = [await load('assets', 'number'), await load('sensors', 'asset')]
  return { ofAsset: name => assets.get(name), ofSensor: name => sensors.get(name) }
}
