/** The reference to an asset in files: its id or legacy id, or a name that no other asset has. */
import type { Reference } from './staged-rows'

export const ASSET: Reference = { table: 'assets', by: ['id', 'legacy_id'], unique: 'name' }
