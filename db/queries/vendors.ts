/** Reads vendors. They belong to no company: every valid key reads them all. */
import type { Vendor } from '../../schema/generated'
import { grainName } from '../calendar/grains'
import { COMPANY_SCOPE, type ScopedReader, type Statement } from '../postgres/scoped-reader'

const VENDORS: Statement = {
  name: 'vendors',
  text: `
SELECT id, name, CASE WHEN own THEN 'own' ELSE 'third_party' END AS type, ${grainName('native_minutes')} AS "finestGrain"
FROM vendors WHERE ${COMPANY_SCOPE} IS NOT NULL ORDER BY id`,
}

/** Returns all vendors, by ascending id. */
export function readVendors(reader: ScopedReader): Promise<Vendor[]> {
  return reader.read(VENDORS)
}
