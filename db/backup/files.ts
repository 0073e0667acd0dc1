/** The files of an export, in the order in which they are stored again. */
import { mergeOrigins } from '../counts/merge-origins'
import { GROUP_COLUMNS } from '../queries/demographics'
import type { BackupFile } from './backup-file'
import { booleans, type Column, hex, instants, OF_COMPANY, plain, reference, words } from './columns'
import { impressionsFile } from './impressions-file'
import { LEDGER_FILES } from './ledger-files'
import { tableFile } from './table-file'

/** The companies of a key, in their order. */
const COMPANIES_OF_KEY: Column = {
  name: 'company_ids',
  read: `(SELECT coalesce(string_agg(c.id, ' ' ORDER BY position), '')
    FROM unnest(t.companies) WITH ORDINALITY AS k (number, position) JOIN companies c USING (number))`,
  store: {
    companies: `ARRAY(SELECT c.number FROM unnest(string_to_array(s.company_ids, ' ')) WITH ORDINALITY AS k (id, position)
      JOIN companies c USING (id) ORDER BY position)`,
  },
}

export const FILES: BackupFile[] = [
  tableFile({
    name: 'companies',
    table: 'companies',
    columns: plain('id', 'name'),
    order: 't.number',
    derived: ['number', 'final_through', 'closings'],
  }),
  tableFile({
    name: 'vendors',
    table: 'vendors',
    columns: [...plain('id', 'name'), ...booleans('own'), ...plain('native_minutes')],
    order: 't.number',
    derived: ['number'],
  }),
  tableFile({
    name: 'zone_rules',
    since: 2,
    table: 'zone_rules',
    columns: [...plain('zone', 'version', 'starts', 'offsets'), ...booleans('in_force'), ...instants('added_at')],
    order: 't.number',
    derived: ['number'],
    mayHaveRows: true,
    before: 'DELETE FROM zone_rules',
  }),
  tableFile({
    name: 'assets',
    table: 'assets',
    columns: [
      ...plain('id', 'legacy_id'),
      reference('company', 'companies'),
      ...plain('name', 'description', 'media_type', 'format', 'venue_type_id', 'status'),
      ...booleans('indoors'),
      ...plain(
        'facing_degrees',
        'width_m',
        'height_m',
        'latitude',
        'longitude',
        'address',
        'city',
        'region',
        'postal_code',
        'country',
      ),
      ...plain('time_zone'),
      ...instants('created_at', 'updated_at'),
      ...plain('venue_taxonomy'),
      { name: 'external_ids', read: 't.external_ids', store: { external_ids: `coalesce(s.external_ids, '{}')` } },
    ],
    added: { venue_taxonomy: 4, external_ids: 4 },
    order: 't.number',
    derived: ['number', 'company_id', 'sensor_ids', 'sensor_minutes', 'installations', 'class', 'rules'],
    before: 'CREATE TEMPORARY TABLE assets_updated ON COMMIT DROP AS SELECT id, updated_at FROM assets WITH NO DATA',
    after: 'INSERT INTO assets_updated SELECT id, updated_at FROM assets',
  }),
  tableFile({
    name: 'sensors',
    table: 'sensors',
    columns: [
      ...plain('id', 'serial', 'model'),
      reference('vendor', 'vendors', { vendor_name: 'name', native_minutes: 'native_minutes' }),
      reference('asset', 'assets', OF_COMPANY),
      ...plain('billable_state'),
      ...instants('installed_at', 'removed_at'),
      ...plain('health_status', 'health_reason'),
      ...instants('health_checked_at', 'health_last_seen_at', 'updated_at'),
    ],
    order: 't.number',
    derived: ['number', 'asset_id'],
  }),
  tableFile({
    name: 'installations',
    table: 'installations',
    columns: [
      reference('sensor', 'sensors'),
      reference('asset', 'assets', OF_COMPANY),
      ...plain('native_minutes'),
      ...instants('installed_at', 'removed_at'),
    ],
    order: 't.sensor, t.installed_at',
    // Sensors and installations that are added to an asset change it.
    after: `UPDATE assets a SET updated_at = u.updated_at FROM assets_updated u
      WHERE u.id = a.id AND a.updated_at <> u.updated_at`,
  }),
  tableFile({
    name: 'sensor_health',
    since: 3,
    table: 'sensor_health',
    columns: [reference('sensor', 'sensors'), ...instants('from_time', 'to_time'), ...plain('status')],
    order: 't.sensor, t.from_time',
  }),
  tableFile({
    name: 'notes',
    since: 3,
    table: 'notes',
    columns: [
      ...plain('id'),
      reference('asset', 'assets'),
      reference('sensor', 'sensors'),
      ...plain('from_date', 'to_date', 'kind', 'text'),
      ...booleans('is_internal'),
      ...instants('updated_at'),
    ],
    order: 't.id',
  }),
  impressionsFile,
  tableFile({
    name: 'set_asides',
    since: 3,
    table: 'set_asides',
    columns: [
      ...plain('id'),
      reference('sensor', 'sensors'),
      ...instants('from_time', 'to_time'),
      ...plain('reason'),
      ...booleans('is_public'),
      ...instants('created_at'),
    ],
    order: 't.id',
    after: `SELECT setval(pg_get_serial_sequence('set_asides', 'id'), max(id)) FROM set_asides`,
  }),
  tableFile({
    name: 'set_aside_counts',
    since: 3,
    table: 'set_aside_counts',
    columns: [...plain('set_aside', 'native_minutes', 'day', 'starts', 'counts'), reference('asset', 'assets')],
    added: { asset_id: 5 },
    order: 't.set_aside, t.native_minutes, t.day, t.asset',
    after: 'SELECT find_set_aside_assets()',
  }),
  tableFile({
    name: 'origins',
    table: 'origin_days',
    view: 'origins',
    columns: [reference('asset', 'assets'), ...plain('date', 'country', 'region', 'city', 'impressions')],
    order: 't.asset, t.date, t.region, t.city',
    derived: ['asset', 'company', 'date', 'places', 'impressions'],
    before: `ALTER TABLE staged_origins ADD CHECK (left(region, 2) = country), ADD CHECK (impressions >= 0),
      ALTER impressions SET NOT NULL`,
    async merge(client) {
      const rows =
        'SELECT a.number AS asset, a.company, s.* FROM staged_origins s LEFT JOIN assets a ON a.id = s.asset_id'
      return (await mergeOrigins(client, rows)).stored
    },
  }),
  tableFile({
    name: 'demographics',
    table: 'demographic_days',
    columns: [reference('asset', 'assets', OF_COMPANY), ...plain('date', ...GROUP_COLUMNS)],
    order: 't.asset, t.date',
  }),
  tableFile({
    name: 'keys',
    table: 'api_keys',
    columns: [
      ...plain('id'),
      hex('hash'),
      ...plain('environment', 'label'),
      words('scopes'),
      ...booleans('reseller', 'all_companies'),
      COMPANIES_OF_KEY,
      ...plain('rate_requests', 'rate_seconds'),
      ...instants('created_at', 'deactivated_at', 'expires_at'),
      ...plain('last_used_on', 'replaces'),
    ],
    order: 't.created_at, t.id',
    derived: ['claims'],
  }),
  tableFile({
    name: 'legacy_calls',
    table: 'legacy_calls',
    columns: [...plain('date', 'api_key', 'route', 'calls'), ...instants('last_called_at')],
    order: 't.date, t.api_key, t.route',
  }),
  tableFile({
    name: 'service',
    table: 'service',
    columns: [hex('cursor_secret'), ...instants('demo_loaded_at', 'legacy_counted_from')],
    order: 't.singleton',
    derived: ['singleton'],
    mayHaveRows: true,
    before: 'DELETE FROM service',
  }),
  tableFile({
    name: 'operations',
    table: 'operations',
    columns: [...plain('id'), ...instants('at'), ...plain('account', 'command', 'details', 'figures')],
    order: 't.id',
    after: `SELECT setval(pg_get_serial_sequence('operations', 'id'), max(id)) FROM operations`,
  }),
  tableFile({
    name: 'changes',
    table: 'changes',
    columns: [
      reference('company', 'companies'),
      ...plain('asset_id', 'kind', 'month', 'from_date', 'to_date', 'earlier_from', 'earlier_to'),
      ...plain('number', 'earlier_number', 'created_number'),
    ],
    // Positions from before, which have seen all but the last changes, are not valid in the database that imports them.
    derived: ['previous_number', 'last_from', 'last_to'],
    // Nobody can read any more what was removed together with its company.
    where: 't.company IN (SELECT number FROM companies)',
    order: `t.asset_id, t.company, t.kind <> 'removed', t.kind, t.month`,
    // Storing all the data has recorded it as changed now, and the constraint triggers record more.
    before: 'SET CONSTRAINTS ALL IMMEDIATE; DELETE FROM changes',
  }),
  ...LEDGER_FILES,
]
