/** The kinds of files that can be imported, with their columns. */
import type { ClientBase } from 'pg'
import type { CountOptions } from './counts/count-options'
import { DEMOGRAPHIC_COLUMNS, openDemographics } from './counts/demographics'
import { IMPRESSION_COLUMNS, openImpressions } from './counts/impressions'
import { ORIGIN_COLUMNS, openOrigins } from './counts/origins'
import { ASSET_COLUMNS, assets } from './entities/assets'
import { companies } from './entities/companies'
import { type EntityDefinition, openEntities } from './entities/entity-import'
import { HEALTH_COLUMNS, openHealth } from './entities/health'
import { SENSOR_COLUMNS, sensors } from './entities/sensors'
import { vendors } from './entities/vendors'
import type { RowCounter } from './row-counter'
import type { RowSink } from './row-sink'

interface ImportKind {
  columns: readonly string[]
  /** Columns that every file must have; `a|b` for either of two. */
  required: readonly string[]
  /** @param columns those that the file has */
  openSink(client: ClientBase, columns: readonly string[], counter: RowCounter, options: CountOptions): Promise<RowSink>
}

const entity = (definition: EntityDefinition): ImportKind => ({
  columns: Object.keys(definition.columns),
  required: [`id|${definition.naturalKey}`],
  openSink: (client, columns, counter) => openEntities(client, definition, columns, counter),
})

export const KINDS = {
  companies: entity(companies),
  vendors: entity(vendors),
  assets: {
    columns: ASSET_COLUMNS,
    required: ['id|legacy_id'],
    openSink: (client, columns, counter) => openEntities(client, assets(client), columns, counter),
  },
  sensors: {
    columns: SENSOR_COLUMNS,
    required: ['id|serial'],
    openSink: async (client, columns, counter) =>
      openEntities(client, await sensors(client, columns), columns, counter),
  },
  health: { columns: HEALTH_COLUMNS, required: HEALTH_COLUMNS.slice(0, 3), openSink: openHealth },
  impressions: { columns: IMPRESSION_COLUMNS, required: IMPRESSION_COLUMNS, openSink: openImpressions },
  origins: { columns: ORIGIN_COLUMNS, required: ORIGIN_COLUMNS, openSink: openOrigins },
  demographics: { columns: DEMOGRAPHIC_COLUMNS, required: DEMOGRAPHIC_COLUMNS, openSink: openDemographics },
} satisfies Record<string, ImportKind>

export type Kind = keyof typeof KINDS
