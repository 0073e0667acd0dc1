/** The files of the ledger: what days and installations were, and which months are closed. */
import type { BackupFile } from './backup-file'
import { booleans, type Column, OF_COMPANY, plain, reference, words } from './columns'
import { tableFile } from './table-file'

/** The first format of an export that has the ledger. */
export const LEDGER_SINCE = 3

const NO_LEDGER = 'DELETE FROM late_days; DELETE FROM revisions;'

/** SQL: begins the ledger anew, with data of which nothing older is known. */
export const BEGIN_LEDGER = `${NO_LEDGER} INSERT INTO revisions (number, reason) VALUES (to_microseconds(clock_timestamp()), 'begin')`

const ASSETS: Column = {
  name: 'asset_ids',
  read: `(SELECT coalesce(string_agg(a.id, ' ' ORDER BY a.number), '') FROM assets a WHERE a.company = t.company AND a.number <@ t.assets)`,
  store: {
    assets: `(SELECT coalesce(range_agg(int4range(number, number, '[]')), '{}') FROM assets
      WHERE id = ANY (string_to_array(s.asset_ids, ' ')))`,
  },
}

/** Returns SQL: a list of installations with another value for each sensor. */
const withSensors = (installations: string, sensor: string): string => `(
  SELECT coalesce(json_agg(json_build_object('sensor', ${sensor}, 'nativeMinutes', i->'nativeMinutes', 'from', i->'from', 'to', i->'to')
    ORDER BY position), '[]')
  FROM json_array_elements(${installations}) WITH ORDINALITY AS list (i, position))`

/** Sensors by their ids; those that were deleted by a negative number. */
const INSTALLATIONS: Column = {
  name: 'installations',
  read: withSensors(
    't.installations',
    `coalesce((SELECT to_json(id) FROM sensors WHERE number = (i->>'sensor')::integer), to_json(-abs((i->>'sensor')::integer)))`,
  ),
  store: {
    installations: withSensors(
      's.installations',
      `coalesce((SELECT number FROM sensors WHERE id = i->>'sensor'), (i->>'sensor')::integer)`,
    ),
  },
}

/** The row of zone_rules.csv. */
const RULES: Column = {
  name: 'zone_rules_row',
  read: '(SELECT count(*) FROM zone_rules WHERE number <= t.rules)',
  store: { rules: '(SELECT number FROM zone_rules ORDER BY number LIMIT 1 OFFSET s.zone_rules_row - 1)' },
}

export const LEDGER_FILES: BackupFile[] = [
  tableFile({
    name: 'closed_months',
    since: LEDGER_SINCE,
    table: 'companies',
    columns: [{ name: 'company_id', read: 't.id', store: {} }, ...plain('final_through'), words('closings')],
    added: { closings: 5 },
    where: 't.final_through IS NOT NULL',
    order: 't.number',
    derived: ['number', 'id', 'name', 'final_through', 'closings'],
    mayHaveRows: true,
    async merge(client) {
      const set = `UPDATE companies c SET final_through = s.final_through,
          closings = coalesce(string_to_array(s.closings, ' ')::date[], ARRAY[s.final_through])
        FROM staged_closed_months s WHERE c.id = s.company_id`
      return (await client.query(set)).rowCount!
    },
  }),
  tableFile({
    name: 'revisions',
    since: LEDGER_SINCE,
    table: 'revisions',
    columns: [...plain('number', 'reason', 'note'), ...booleans('note_is_public'), ...plain('operation')],
    order: 't.number',
    mayHaveRows: true,
    before: NO_LEDGER,
  }),
  tableFile({
    name: 'restatements',
    since: LEDGER_SINCE,
    table: 'restatements',
    columns: [
      reference('asset', 'assets', OF_COMPANY),
      ...plain('kind', 'date', 'revision', 'total_before', 'total_after', 'observed_before', 'observed_after'),
      ...booleans('final'),
    ],
    order: 't.asset, t.kind, t.date, t.revision',
  }),
  tableFile({
    name: 'late_days',
    since: LEDGER_SINCE,
    table: 'late_days',
    columns: [reference('company', 'companies'), ...plain('kind', 'from_date', 'to_date', 'revision'), ASSETS],
    // Rows of a deleted company mean nothing any more.
    where: 't.company IN (SELECT number FROM companies)',
    order: 't.company, t.kind, t.to_date, t.from_date, t.revision',
    mayHaveRows: true,
  }),
  tableFile({
    name: 'installation_revisions',
    since: LEDGER_SINCE,
    table: 'installation_revisions',
    columns: [reference('asset', 'assets', OF_COMPANY), ...plain('revision'), INSTALLATIONS, RULES],
    order: 't.asset, t.revision',
  }),
]
