/** Adds and removes single notes on the data of assets and sensors. */
import type { ClientBase } from 'pg'
import { oneOf, text } from '../columns'
import type { OnWait } from '../locks'
import { OperatorError } from '../operator-error'
import type { Pool } from '../postgres/pool'
import { findNumbers, makeId } from '../references'
import { inTransaction } from '../transaction'
import { recordOperation } from './record'

/** The kinds of notes that operators write. What is set aside is a note of another kind. */
export const NOTE_KIND = oneOf(['caveat', 'break'])

export const NOTE_TEXT = text(2_000)

interface NewNote {
  of: 'asset' | 'sensor'
  /** The id, natural key or unique name of the asset or sensor. */
  reference: string
  /** Local dates, inclusive. */
  from: string
  to?: string
  kind: string
  text: string
  internal: boolean
}

/**
 * Adds a note and returns its id.
 *
 * @throws OperatorError UNKNOWN_ASSET, AMBIGUOUS_ASSET or UNKNOWN_SENSOR; NOTE_EXISTS for a note with the same text and first day
 */
export function addNote(pool: Pool, note: NewNote, details: object, onWait?: OnWait): Promise<string> {
  const { of, reference, from, to = null, kind, text, internal } = note
  const work = async (client: ClientBase) => {
    const numbers = await findNumbers(client, `${of}s`, [reference], 'keys and name')
    const values = [numbers[0], from, kind, text]
    const { rows } = await client.query<{ id: string }>(
      `INSERT INTO notes (id, ${of}, from_date, kind, text, to_date, is_internal) VALUES ($5, $1, $2, $3, $4, $6, $7)
       ON CONFLICT (asset, sensor, from_date, kind, md5(text)) DO NOTHING RETURNING id`,
      [...values, makeId(), to, internal],
    )
    if (!rows[0]) {
      const { rows: stored } = await client.query(
        `SELECT id FROM notes WHERE ${of} = $1 AND from_date = $2 AND kind = $3 AND text = $4`,
        values,
      )
      const remedy = `\`partner-metrics note remove ${stored[0].id}\` removes it`
      throw new OperatorError('NOTE_EXISTS', `the ${of} has this note already, from the same day on (${remedy})`)
    }
    const [{ id }] = rows
    await recordOperation(client, { command: 'note add', details, figures: { id } })
    return { commit: true, result: id }
  }
  return inTransaction(pool, work, onWait)
}

/** Removes a note. The history keeps what it said. @throws OperatorError UNKNOWN_NOTE */
export function removeNote(pool: Pool, id: string, onWait?: OnWait): Promise<void> {
  const work = async (client: ClientBase) => {
    const { rows } = await client.query(
      `DELETE FROM notes n WHERE id = $1 RETURNING id, (SELECT id FROM assets WHERE number = n.asset) AS asset,
         (SELECT serial FROM sensors WHERE number = n.sensor) AS sensor, from_date, to_date, kind, text, is_internal`,
      [id],
    )
    if (!rows[0]) {
      const hint = '`partner-metrics list notes` shows all; `partner-metrics restore` brings back what is set aside'
      throw new OperatorError('UNKNOWN_NOTE', `there is no note with the id ${JSON.stringify(id)} (${hint})`)
    }
    await recordOperation(client, { command: 'note remove', details: rows[0] })
    return { commit: true, result: undefined }
  }
  return inTransaction(pool, work, onWait)
}
