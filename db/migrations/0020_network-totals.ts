/**
 * Totals of networks by month, with a column for each local day: of each class of assets, and of each company. Triggers
 * add every change of `asset_months`. Bitmaps show which assets have counts on a day, to count assets over any range.
 */
import type { Knex } from 'knex'
import { statementTriggers } from '../migrate/statement-triggers'

const DAYS = Array.from({ length: 31 }, (_, i) => i + 1)

const SUMS = ['impressions', ...DAYS.map(day => `day_${day}`)]

const forSums = (sql: (column: string) => string): string => SUMS.map(sql).join(', ')

const monthTable = (table: string, of: string, key: string, comment: string): string => `
CREATE TABLE ${table} (
  ${of},
  month integer NOT NULL,
  ${forSums(column => `${column} bigint NOT NULL`)},
  PRIMARY KEY (${key}, month)
);
COMMENT ON TABLE ${table} IS '${comment}';
COMMENT ON COLUMN ${table}.month IS 'Months since year 0.';
${rowLevelSecurity(table)}`

const rowLevelSecurity = (table: string): string => `
ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON ${table} TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY company_scope ON ${table} FOR SELECT USING (company = ANY ((SELECT companies_in_scope())::integer[]));`

/** SQL that adds the difference between rows of asset_months to a table. Always in one order, so that concurrent transactions do not deadlock. */
const addTo = (table: string, keys: string, of: string): string => `
  INSERT INTO ${table} AS m (${keys}, month, ${SUMS.join(', ')})
    SELECT ${keys}, month, ${forSums(column => `coalesce(sum(${column}), 0)`)}
    FROM (
      SELECT ${keys}, month, ${SUMS.join(', ')} FROM unnest(added)
      UNION ALL
      SELECT ${keys}, month, ${forSums(column => `-${column}`)} FROM unnest(removed)
    ) AS difference
    -- Not for one that was deleted together with its assets.
    WHERE EXISTS (SELECT 1 FROM ${of} WHERE number = difference.${keys.split(', ')[0]})
    GROUP BY ${keys}, month ORDER BY ${keys}, month
  ON CONFLICT (${keys.split(', ')[0]}, month) DO UPDATE SET ${forSums(column => `${column} = m.${column} + excluded.${column}`)};`

/** SQL of an integer with a bit for each day that has counts. */
const daysWithCounts = (row: string): string =>
  DAYS.map(day => `CASE WHEN ${row}.day_${day} IS NULL THEN 0 ELSE ${1 << (day - 1)} END`).join(' + ')

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
${monthTable(
  'class_months',
  'class integer NOT NULL REFERENCES asset_classes (number) ON DELETE CASCADE, company integer NOT NULL REFERENCES companies (number) ON DELETE CASCADE',
  'class',
  'Impressions of classes of assets by month of local dates: sums of asset_months. Set by trigger.',
)}
${monthTable(
  'company_months',
  'company integer NOT NULL REFERENCES companies (number) ON DELETE CASCADE',
  'company',
  'Impressions of all assets of a company by month of local dates: sums of asset_months. Set by trigger.',
)}
CREATE TABLE measured_assets (
  company integer NOT NULL REFERENCES companies (number) ON DELETE CASCADE,
  block integer NOT NULL,
  date date NOT NULL,
  assets bit(2048) NOT NULL,
  PRIMARY KEY (company, date, block)
);
COMMENT ON TABLE measured_assets IS 'Which assets have counts on a local day, as bits: bit N of block B is the asset with the number B * 2048 + N. Set by trigger.';
${rowLevelSecurity('measured_assets')}

CREATE FUNCTION add_to_networks(removed asset_months[], added asset_months[]) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  none CONSTANT bit(2048) = B'0'::bit(2048);
  changed record;
BEGIN
${addTo('class_months', 'class, company', 'asset_classes')}
${addTo('company_months', 'company', 'companies')}
  FOR changed IN
    SELECT company, asset / 2048 AS block, make_date(month / 12, month % 12 + 1, 1) + day - 1 AS date,
      coalesce(bit_or(set_bit(none, asset % 2048, 1)) FILTER (WHERE now & (1 << (day - 1)) > 0), none) AS present,
      coalesce(bit_or(set_bit(none, asset % 2048, 1)) FILTER (WHERE now & (1 << (day - 1)) = 0), none) AS absent
    FROM (
      SELECT company, asset, month, max(now) AS now, max(before) AS before FROM (
        SELECT company, asset, month, ${daysWithCounts('a')} AS now, 0 AS before FROM unnest(added) AS a
        UNION ALL
        SELECT company, asset, month, 0, ${daysWithCounts('r')} FROM unnest(removed) AS r
      ) AS days GROUP BY company, asset, month
    ) AS months CROSS JOIN generate_series(1, 31) AS day
    WHERE (now # before) & (1 << (day - 1)) > 0 AND EXISTS (SELECT 1 FROM companies WHERE number = company)
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  LOOP
    INSERT INTO measured_assets AS m (company, block, date, assets) VALUES (changed.company, changed.block, changed.date, changed.present)
      ON CONFLICT (company, date, block) DO UPDATE SET assets = (m.assets | excluded.assets) & ~changed.absent;
    IF changed.absent <> none THEN
      DELETE FROM measured_assets
        WHERE (company, block, date) = (changed.company, changed.block, changed.date) AND assets = none;
    END IF;
  END LOOP;
END $$;
COMMENT ON FUNCTION add_to_networks IS 'Adds the difference between rows of asset_months to what derives from them.';

CREATE FUNCTION asset_months_changed() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  removed asset_months[] = '{}';
  added asset_months[] = '{}';
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    TRUNCATE class_months, company_months, measured_assets;
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' THEN SELECT array_agg(b) INTO removed FROM before b; END IF;
  IF TG_OP <> 'DELETE' THEN SELECT array_agg(a) INTO added FROM after a; END IF;
  PERFORM add_to_networks(removed, added);
  RETURN NULL;
END $$;
${statementTriggers('asset_months', 'asset_months_changed')}
CREATE TRIGGER asset_months_changed_on_truncate AFTER TRUNCATE ON asset_months
  FOR EACH STATEMENT EXECUTE FUNCTION asset_months_changed();

SELECT add_to_networks('{}', array_agg(m)) FROM asset_months m GROUP BY month / 12;
`)
}

export { down } from '../migrate/forward-only'
