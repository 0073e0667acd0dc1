/** Imports numbers of assets by date and group: origins and demographics. */
import type { ClientBase } from 'pg'
import type { Column } from '../../db/columns'
import type { StoredFigures } from '../../db/figures'
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
export const openAudience =
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
