/**
 * Imports notes on the data of assets and sensors. A row whose id is stored, or else the note on the same asset or
 * sensor with the same first day, kind and text, updates that note; any other row is a new one.
 */
import type { ClientBase } from 'pg'
import { boolean, date, id, reference, required } from '../../db/columns'
import { NOTE_KIND, NOTE_TEXT } from '../../db/operations/notes'
import type { RowCounter, RowSink } from '../row-sink'
import { StagedRows, type ValueOf } from '../staged-rows'
import { assignIds } from './entity-import'

const COLUMNS = {
  id,
  asset_id: reference,
  sensor: reference,
  from: required(date),
  to: date,
  kind: required(NOTE_KIND),
  text: required(NOTE_TEXT),
  internal: boolean,
}

export const NOTE_COLUMNS = Object.keys(COLUMNS)

const validateRow = (value: ValueOf): string | undefined => {
  if ((value('asset_id') === '') === (value('sensor') === '')) return 'asset_id or sensor is required, and not both'
  return value('to') !== '' && value('to') < value('from') ? `to is ${value('to')}, before from` : undefined
}

/** SQL: a stored note `t` is what a row `s` says, apart from its end and whether it is internal. */
const IS_SAME = `(coalesce(t.asset, -t.sensor), t.from_date, t.kind, md5(t.text)) = (s.subject, s."from", s.kind, md5(s.text))`

export async function openNotes(client: ClientBase, present: readonly string[], counter: RowCounter): Promise<RowSink> {
  const rows = await StagedRows.create(client, COLUMNS, present, counter, {
    extraColumns: ['target text COLLATE "C"', 'asset integer', 'sensor_number integer', 'subject integer'],
    validateRow,
  })
  // Columns that the file does not have keep their stored values.
  const values = {
    asset: 's.asset',
    sensor: 's.sensor_number',
    from_date: 's."from"',
    to_date: rows.has('to') ? 's."to"' : 't.to_date',
    kind: 's.kind',
    text: 's.text',
    is_internal: 'coalesce(s.internal, t.is_internal, false)',
  }
  const names = Object.keys(values)
  const list = (columns: readonly string[]) => columns.join(', ')
  return {
    add: (row, line) => rows.add(row, line),
    flushIfFull: () => rows.flushIfFull(),
    validate: async () => {
      await rows.flush()
      await rows.resolve('asset_id', 'asset', 'assets')
      await rows.resolve('sensor', 'sensor_number', 'sensors')
      await client.query(`
        UPDATE staged SET subject = coalesce(asset, -sensor_number);
        UPDATE staged s SET target = t.id FROM notes t WHERE t.id = s.id;
        UPDATE staged s SET target = t.id FROM notes t WHERE s.id IS NULL AND ${IS_SAME}`)
      await rows.rejectConflicts('id', 'its id')
      await rows.rejectConflicts('subject, "from", kind, text', 'this note')
      await rows.reject(
        `'this is the note ' || t.id || ' already: leave out its id, or give that one'`,
        `${IS_SAME} AND t.id <> coalesce(s.target, s.id)`,
        'notes t',
      )
      await assignIds(client)
      await rows.reportRejected()
    },
    store: async () => {
      const count = await rows.count()
      const { rowCount: updated } = await client.query(`
        UPDATE notes t SET ${names.map(name => `${name} = ${values[name as keyof typeof values]}`)}, updated_at = now()
        FROM staged s WHERE t.id = s.target
          AND (${list(names.map(name => `t.${name}`))}) IS DISTINCT FROM (${list(Object.values(values))})`)
      const { rowCount: inserted } = await client.query(`
        INSERT INTO notes (id, ${list(names)}) SELECT s.id, ${list(Object.values(values))}
        FROM staged s LEFT JOIN notes t ON false WHERE s.target IS NULL ORDER BY s.line`)
      const stored = (updated ?? 0) + (inserted ?? 0)
      return { stored, unchanged: count - stored + rows.repeated }
    },
  }
}
