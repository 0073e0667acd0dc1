/**
 * Companies, vendors, assets and sensors: things with an identifier and another natural key, which are made when they are
 * new and otherwise updated in the columns that the file has.
 */
import { init } from '@paralleldrive/cuid2'
import type { ClientBase } from 'pg'
import { literal, StagedRows } from '../counts/staged-rows'
import type { Column } from '../csv/values'
import type { Tally } from '../figures'
import type { RowSink } from '../row-sink'

const makeId = init({ length: 24 })

export interface EntityDefinition {
  table: string
  /** What one is called. */
  noun: string
  /** The column that also tells which one is meant. */
  key: string
  columns: Record<string, Column>
  /** More columns of `staged`, as name and type. */
  extra?: readonly string[]
  /** Columns of the table and the SQL of their values, where they differ from the file's columns of that name. */
  stored?: (has: (column: string) => boolean) => Record<string, string>
  /** Columns of the file that are kept under another name. */
  resolved?: readonly string[]
  /** Columns besides those of the file to set where a row changes, with their SQL. */
  onChange?: Record<string, string>
  /** Resolves and rejects; `staged.target` tells which rows exist already. */
  check?: (rows: StagedRows, client: ClientBase) => Promise<void>
  /** What else is written, before the things themselves. */
  beforeStore?: (client: ClientBase) => Promise<void>
  zoneOf?: (value: (column: string) => string) => string
}

/** Takes in rows of things. */
export async function takeThings(
  client: ClientBase,
  thing: EntityDefinition,
  present: readonly string[],
  tally: Tally,
): Promise<RowSink> {
  const { table, noun, key, columns, extra = [], check, beforeStore } = thing
  const rows = await StagedRows.open(client, columns, present, tally, ['target integer', ...extra], thing.zoneOf)
  const named = (value: (column: string) => string) =>
    value('id') === '' && value(key) === '' ? `id or ${key} is required` : undefined
  return {
    take: (values, line) => rows.take(values, line, named),
    settle: () => rows.settle(),
    check: async () => {
      await rows.flush()
      await identify(rows, client, thing)
      await rows.rejectTwins('target', `the ${noun}`)
      await rows.rejectTwins('id', 'its id')
      await rows.rejectTwins(key, `its ${key}`)
      await rejectIncomplete(rows, thing)
      await giveIds(client)
      await check?.(rows, client)
      await rows.reportFaults()
    },
    store: async () => {
      await beforeStore?.(client)
      const stored = storedColumns(rows, thing)
      const { rows: existing } = await client.query(
        'SELECT count(*)::integer AS n FROM staged WHERE target IS NOT NULL',
      )
      const changed = await update(client, thing, stored)
      const made = await client.query(`
        INSERT INTO ${table} (${Object.keys(stored).join(', ')})
        SELECT ${Object.values(stored).join(', ')} FROM staged s LEFT JOIN ${table} t ON false
        WHERE s.target IS NULL ORDER BY s.line`)
      return { stored: changed + (made.rowCount ?? 0), unchanged: existing[0].n - changed + rows.repeated }
    },
  }
}

/** Writes what differs of the things that there are already; tells how many do. */
async function update(client: ClientBase, thing: EntityDefinition, stored: Record<string, string>): Promise<number> {
  const changes = Object.entries(stored).filter(([column]) => column !== 'id')
  if (changes.length === 0) return 0
  const setting = [...changes, ...Object.entries(thing.onChange ?? {})]
  const { rowCount } = await client.query(`
    UPDATE ${thing.table} t SET ${setting.map(([column, value]) => `${column} = ${value}`).join(', ')}
    FROM staged s WHERE t.number = s.target
      AND row(${changes.map(([column]) => `t.${column}`).join(', ')})
        IS DISTINCT FROM row(${changes.map(([, value]) => value).join(', ')})`)
  return rowCount ?? 0
}

/** Finds which rows exist already; id and natural key must not name two different ones. */
async function identify(rows: StagedRows, client: ClientBase, { table, noun, key }: EntityDefinition): Promise<void> {
  if (rows.has(key)) {
    await client.query(`UPDATE staged s SET target = t.number FROM ${table} t WHERE t.${key} = s.${key}`)
    await rows.reject(
      `${literal(`${key} `)} || to_json(left(s.${key}::text, 60)) || ${literal(` belongs to the ${noun} `)} || t.id`,
      's.id IS NOT NULL AND t.number = s.target AND t.id <> s.id',
      `${table} t`,
    )
  }
  if (rows.has('id')) {
    await client.query(`UPDATE staged s SET target = t.number FROM ${table} t WHERE s.target IS NULL AND t.id = s.id`)
  }
}

/** Makes identifiers for new rows that bring none. */
async function giveIds(client: ClientBase): Promise<void> {
  const { rows } = await client.query('SELECT line FROM staged WHERE target IS NULL AND id IS NULL')
  await client.query(
    `UPDATE staged s SET id = made.id FROM unnest($1::bigint[], $2::text[]) made (line, id) WHERE s.line = made.line`,
    [rows.map(({ line }) => line), rows.map(() => makeId())],
  )
}

async function rejectIncomplete(rows: StagedRows, { noun, columns }: EntityDefinition): Promise<void> {
  for (const [name, { required }] of Object.entries(columns)) {
    if (!required || rows.has(name)) continue
    await rows.reject(literal(`${name} is required for a new ${noun}`), 's.target IS NULL')
  }
}

/** The table's columns that are written, and the SQL of their values from `s` (staged) and `t` (what is stored). */
function storedColumns(rows: StagedRows, { columns, resolved = [], stored }: EntityDefinition): Record<string, string> {
  const values: Record<string, string> = { id: 's.id' }
  for (const [name, { otherwise }] of Object.entries(columns)) {
    if (name === 'id' || resolved.includes(name)) continue
    if (otherwise) values[name] = `coalesce(s.${name}, t.${name}, ${otherwise})`
    else if (rows.has(name)) values[name] = `s.${name}`
  }
  return { ...values, ...stored?.(column => rows.has(column)) }
}
