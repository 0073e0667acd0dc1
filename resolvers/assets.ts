/** Answers assets. A row comes from the database as it is told, so that no field needs a resolver. */
import { readAsset, readAssets } from '../db/assets'
import type { Query } from './context'
import { pageOf } from './pages'

export const asset: Query['asset'] = async (_, { id }, { door }) => (await readAsset(door, id)) ?? null

export const assets: Query['assets'] = (_, { limit, after }, { door }) =>
  pageOf(limit, rows => readAssets(door, after ?? '', rows))
