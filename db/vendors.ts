/** Reads vendors. They belong to nobody: every valid key may know them. */
import type { Vendor } from '../schema/generated'
import { type Door, SCOPE, type Statement } from './connection'
import { grainName } from './grains'

const VENDORS: Statement = {
  name: 'vendors',
  text: `
SELECT id, name, CASE WHEN own THEN 'own' ELSE 'third_party' END AS type, ${grainName('native_minutes')} AS "finestGrain"
FROM vendors WHERE ${SCOPE} IS NOT NULL ORDER BY id`,
}

/** All vendors, by ascending id. */
export function readVendors(door: Door): Promise<Vendor[]> {
  return door.read(VENDORS)
}
