/** The kinds of files that can be imported, and what stands in them. */
import type { ClientBase } from 'pg'
import { DEMOGRAPHICS, takeDemographics } from './counts/demographics'
import { takeImpressions } from './counts/impressions'
import { ORIGINS, takeOrigins } from './counts/origins'
import { assets } from './entities/assets'
import { companies } from './entities/companies'
import { type EntityDefinition, takeThings } from './entities/entity-import'
import { HEALTH, takeHealth } from './entities/health'
import { sensorsOf } from './entities/sensors'
import { vendors } from './entities/vendors'
import type { Tally } from './figures'
import type { RowSink } from './row-sink'

interface KindOfImport {
  columns: readonly string[]
  /** Columns without which no row makes sense; `a|b` for one of two. */
  required: readonly string[]
  open(client: ClientBase, columns: readonly string[], tally: Tally, held?: number): Promise<RowSink>
}

const COUNTS = ['sensor', 'start', 'impressions']
const SENSORS = 'id serial model vendor_id asset_id billable_state installed_at removed_at'.split(' ')

const thing = (definition: EntityDefinition): KindOfImport => ({
  columns: Object.keys(definition.columns),
  required: [`id|${definition.key}`],
  open: (client, columns, tally) => takeThings(client, definition, columns, tally),
})

export const KINDS = {
  companies: thing(companies),
  vendors: thing(vendors),
  assets: thing(assets),
  sensors: {
    columns: SENSORS,
    required: ['id|serial'],
    open: async (client, columns, tally) => takeThings(client, await sensorsOf(client), columns, tally),
  },
  health: { columns: HEALTH, required: HEALTH.slice(0, 3), open: takeHealth },
  impressions: { columns: COUNTS, required: COUNTS, open: takeImpressions },
  origins: { columns: ORIGINS, required: ORIGINS, open: takeOrigins },
  demographics: { columns: DEMOGRAPHICS, required: DEMOGRAPHICS, open: takeDemographics },
} satisfies Record<string, KindOfImport>

export type Kind = keyof typeof KINDS
