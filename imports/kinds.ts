/** The kinds of files that can be imported, with their columns. */
import type { ClientBase } from 'pg'
import { EXPECTED_SYSTEM, EXTERNAL_ID_PREFIX, isExternalId } from '../db/assets/external-ids'
import { id, required, text } from '../db/columns'
import { ENTITIES, type EntityKind } from '../db/references'
import { DEMOGRAPHIC_COLUMNS, openDemographics } from './counts/demographics'
import { IMPRESSION_COLUMNS, openImpressions } from './counts/impressions'
import { ORIGIN_COLUMNS, openOrigins } from './counts/origins'
import type { KindColumns } from './csv/header/column-options'
import { ASSET_COLUMNS, assets } from './entities/assets'
import { type EntityDefinition, openEntities } from './entities/entity-import'
import { HEALTH_COLUMNS, openHealth } from './entities/health'
import { NOTE_COLUMNS, openNotes } from './entities/notes'
import { SENSOR_COLUMNS, sensors } from './entities/sensors'
import { vendors } from './entities/vendors'
import type { Kind } from './kind-names'
import type { RowCounter } from './row-counter'
import type { RowSink, SinkOptions } from './row-sink'

interface ImportKind extends KindColumns {
  /** @param columns those that the file has */
  openSink(client: ClientBase, columns: readonly string[], counter: RowCounter, options: SinkOptions): Promise<RowSink>
}

const entity = (
  kind: EntityKind,
  columns: readonly string[],
  define: (
    client: ClientBase,
    present: readonly string[],
    options: SinkOptions,
  ) => EntityDefinition | Promise<EntityDefinition>,
): ImportKind => ({
  columns,
  required: [`id|${ENTITIES[kind].naturalKey}`],
  openSink: async (client, present, counter, options) =>
    openEntities(client, await define(client, present, options), present, counter),
})

export const KINDS = {
  companies: entity('companies', ['id', 'name'], () => ({
    table: 'companies',
    columns: { id, name: required(text(200)) },
  })),
  vendors: entity('vendors', Object.keys(vendors.columns), () => vendors),
  assets: {
    ...entity('assets', ASSET_COLUMNS, assets),
    named: { prefix: EXTERNAL_ID_PREFIX, expected: EXPECTED_SYSTEM, isNamed: isExternalId },
  },
  sensors: entity('sensors', SENSOR_COLUMNS, sensors),
  health: { columns: HEALTH_COLUMNS, required: HEALTH_COLUMNS.slice(0, 3), openSink: openHealth },
  notes: { columns: NOTE_COLUMNS, required: ['asset_id|sensor', 'from', 'kind', 'text'], openSink: openNotes },
  impressions: { columns: IMPRESSION_COLUMNS, required: IMPRESSION_COLUMNS, openSink: openImpressions },
  origins: { columns: ORIGIN_COLUMNS, required: ORIGIN_COLUMNS, openSink: openOrigins },
  demographics: { columns: DEMOGRAPHIC_COLUMNS, required: DEMOGRAPHIC_COLUMNS, openSink: openDemographics },
} as const satisfies Record<Kind, ImportKind>
