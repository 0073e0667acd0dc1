/** The kinds of files that can be imported, with their columns. */
import type { ClientBase } from 'pg'
import { EXPECTED_SYSTEM, EXTERNAL_ID_PREFIX, isExternalId } from '../db/assets/external-ids'
import { id, required, text } from '../db/columns'
import { ENTITIES, type EntityKind } from '../db/references'
import { DEMOGRAPHIC_COLUMNS, ORIGIN_COLUMNS, openDemographics, openOrigins } from './counts/audience'
import { IMPRESSION_COLUMNS, openImpressions } from './counts/impressions'
import type { KindColumns } from './csv/header/column-options'
import { ASSET_COLUMNS, assets } from './entities/assets'
import { type EntityDefinition, openEntities } from './entities/entity-import'
import { HEALTH_COLUMNS, openHealth } from './entities/health'
import { NOTE_COLUMNS, openNotes } from './entities/notes'
import { SENSOR_COLUMNS, sensors } from './entities/sensors'
import { vendors } from './entities/vendors'
import type { Kind } from './kind-names'
import type { RowCounter, RowSink, SinkOptions } from './row-sink'

interface ImportKind extends KindColumns {
  /** A header and a row, which can be imported after those of the kinds before it. */
  example: readonly [header: string, row: string]
  /** @param columns those that the file has */
  openSink(client: ClientBase, columns: readonly string[], counter: RowCounter, options: SinkOptions): Promise<RowSink>
}

const entity = (
  kind: EntityKind,
  columns: readonly string[],
  example: ImportKind['example'],
  define: (
    client: ClientBase,
    present: readonly string[],
    options: SinkOptions,
  ) => EntityDefinition | Promise<EntityDefinition>,
): ImportKind => ({
  columns,
  example,
  required: [`id|${ENTITIES[kind].naturalKey}`],
  openSink: async (client, present, counter, options) =>
    openEntities(client, await define(client, present, options), present, counter),
})

const ASSET_EXAMPLE = [
  'legacy_id,company_id,name,media_type,format,latitude,longitude,city,country,time_zone,external_id:hivestack',
  '101,Acme Outdoor,"Zoo, east gate",digital,billboard,52.5069,13.3329,Berlin,DE,Europe/Berlin,93701',
] as const

const SENSOR_EXAMPLE = [
  'serial,model,vendor_id,asset_id,installed_at',
  'SN-1,CountBox 2,CountBox,101,2026-01-05',
] as const

export const KINDS = {
  companies: entity('companies', ['id', 'name'], ['name', 'Acme Outdoor'], () => ({
    table: 'companies',
    columns: { id, name: required(text(200)) },
  })),
  vendors: entity(
    'vendors',
    Object.keys(vendors.columns),
    ['name,own,finest_grain', 'CountBox,false,quarter_hour'],
    () => vendors,
  ),
  assets: {
    ...entity('assets', ASSET_COLUMNS, ASSET_EXAMPLE, assets),
    named: { prefix: EXTERNAL_ID_PREFIX, expected: EXPECTED_SYSTEM, isNamed: isExternalId },
  },
  sensors: entity('sensors', SENSOR_COLUMNS, SENSOR_EXAMPLE, sensors),
  health: {
    columns: HEALTH_COLUMNS,
    required: HEALTH_COLUMNS.slice(0, 3),
    openSink: openHealth,
    example: ['sensor,checked_at,status', 'SN-1,2026-01-05T09:00:00+01:00,healthy'],
  },
  notes: {
    columns: NOTE_COLUMNS,
    required: ['asset_id|sensor', 'from', 'kind', 'text'],
    openSink: openNotes,
    example: ['asset_id,from,to,kind,text', '101,2026-01-05,2026-01-09,caveat,"Road works, one lane closed"'],
  },
  impressions: {
    columns: IMPRESSION_COLUMNS,
    required: IMPRESSION_COLUMNS,
    openSink: openImpressions,
    example: ['sensor,start,impressions', 'SN-1,2026-01-05T08:00:00+01:00,12'],
  },
  origins: {
    columns: ORIGIN_COLUMNS,
    required: ORIGIN_COLUMNS,
    openSink: openOrigins,
    example: ['asset_id,date,country,region,city,impressions', '101,2026-01-05,DE,DE-BE,Berlin,12'],
  },
  demographics: {
    columns: DEMOGRAPHIC_COLUMNS,
    required: DEMOGRAPHIC_COLUMNS,
    openSink: openDemographics,
    example: ['asset_id,date,gender,age_band,impressions', '101,2026-01-05,female,25-34,7'],
  },
} as const satisfies Record<Kind, ImportKind>
