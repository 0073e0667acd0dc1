/**
 * Demographics summed over assets and months. Triggers add every change of `demographic_days`, and move the sums of an asset
 * when its class changes. Bitmaps show which assets have demographics on a day, to count assets over any range.
 */
import type { Knex } from 'knex'
import { RETURN_WITHOUT_ROWS, statementTriggers } from '../migrate/statement-triggers'

const GROUPS = ['12_17', '18_24', '25_34', '35_44', '45_54', '55_64', '65', 'unknown'].flatMap(age =>
  ['male', 'female', 'unknown'].map(gender => `${gender}_${age}`),
)

const forSums = (sql: (column: string) => string): string => ['asset_days', ...GROUPS].map(sql).join(', ')

const COLUMNS = forSums(column => column)

const SUM_COLUMNS = `asset_days integer NOT NULL, ${GROUPS.map(column => `${column} bigint NOT NULL`).join(', ')}`

const SUMMED = forSums(column => `sum(${column})`)

const ADDED = forSums(column => `${column} = t.${column} + excluded.${column}`)

const NONE = `B'0'::bit(2048)`

const rowLevelSecurity = (table: string): string => `
ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON ${table} TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY company_scope ON ${table} FOR SELECT USING (company = ANY ((SELECT companies_in_scope())::integer[]));`

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE network_demographics (
  company integer NOT NULL REFERENCES companies (number) ON DELETE CASCADE,
  class integer REFERENCES asset_classes (number) ON DELETE CASCADE,
  span text NOT NULL CHECK (span IN ('day', 'month')),
  start date NOT NULL,
  ${SUM_COLUMNS},
  UNIQUE NULLS NOT DISTINCT (company, span, start, class)
);
COMMENT ON TABLE network_demographics IS 'Sums of demographic_days by local day and month. Set by trigger.';
COMMENT ON COLUMN network_demographics.class IS 'Null: all assets of the company.';
COMMENT ON COLUMN network_demographics.asset_days IS 'Rows of demographic_days.';
CREATE INDEX ON network_demographics (class);
${rowLevelSecurity('network_demographics')}

CREATE TABLE asset_demographics (
  asset integer NOT NULL,
  company integer NOT NULL,
  start date NOT NULL,
  ${SUM_COLUMNS},
  PRIMARY KEY (asset, start),
  FOREIGN KEY (asset, company) REFERENCES assets (number, company) ON DELETE CASCADE
);
COMMENT ON TABLE asset_demographics IS 'Sums of demographic_days by asset and local month. Set by trigger.';
COMMENT ON COLUMN asset_demographics.start IS 'The first day of the month.';
COMMENT ON COLUMN asset_demographics.asset_days IS 'Rows of demographic_days.';
${rowLevelSecurity('asset_demographics')}

CREATE TABLE described_assets (
  company integer NOT NULL REFERENCES companies (number) ON DELETE CASCADE,
  block integer NOT NULL,
  date date NOT NULL,
  assets bit(2048) NOT NULL,
  PRIMARY KEY (company, date, block)
);
COMMENT ON TABLE described_assets IS 'Which assets have demographics on a local day, in bits as in measured_assets. Set by trigger.';
${rowLevelSecurity('described_assets')}

CREATE FUNCTION demographic_days_changed() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  rows text = CASE TG_OP WHEN 'INSERT' THEN 'SELECT 1 AS sign, * FROM after' WHEN 'DELETE' THEN 'SELECT -1 AS sign, * FROM before'
    ELSE 'SELECT 1 AS sign, * FROM after UNION ALL SELECT -1, * FROM before' END;
BEGIN
  ${RETURN_WITHOUT_ROWS}
  -- Always in this order, so that concurrent transactions do not deadlock. Afterwards the classes of the assets are final.
  EXECUTE format('SELECT FROM assets WHERE number IN (SELECT asset FROM (%s) AS r) ORDER BY number FOR NO KEY UPDATE', rows);
  EXECUTE format($sql$${addChanges('%s')}$sql$, rows);
  IF TG_OP <> 'INSERT' THEN
    EXECUTE format($sql$
      UPDATE described_assets AS t SET assets = t.assets & ~a.assets
      FROM (${blocksOf('%s', 'sum(sign) < 0')}) AS a
      WHERE (t.company, t.block, t.date) = (a.company, a.block, a.date)$sql$, rows);
    EXECUTE format($sql$
      DELETE FROM described_assets
      WHERE assets = ${NONE} AND (company, date) IN (SELECT company, date FROM (%s) AS r)$sql$, rows);
    EXECUTE format($sql$
      DELETE FROM asset_demographics WHERE asset_days = 0 AND asset IN (SELECT asset FROM (%s) AS r)$sql$, rows);
    EXECUTE format($sql$
      DELETE FROM network_demographics WHERE asset_days = 0 AND (company, span, start) IN (
        SELECT company, span, start FROM (%s) AS r CROSS JOIN ${spans('r.date')})$sql$, rows);
  END IF;
  RETURN NULL;
END $$;
${statementTriggers('demographic_days', 'demographic_days_changed')}

CREATE FUNCTION truncate_demographics() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  TRUNCATE network_demographics, asset_demographics, described_assets;
  RETURN NULL;
END $$;
CREATE TRIGGER truncate_demographics AFTER TRUNCATE ON demographic_days
  FOR EACH STATEMENT EXECUTE FUNCTION truncate_demographics();

CREATE FUNCTION move_demographics() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  -- Not by a join, whose plan would compare each row with each.
  changed_assets integer[] = ARRAY(SELECT number FROM (SELECT number, class FROM after EXCEPT SELECT number, class FROM before) AS moved);
BEGIN
  IF changed_assets = '{}' THEN RETURN NULL; END IF;
  WITH moved AS (
    SELECT number, class, 1 AS sign FROM after WHERE number = ANY (changed_assets)
    UNION ALL
    SELECT number, class, -1 FROM before WHERE number = ANY (changed_assets)
  )
  INSERT INTO network_demographics AS t (company, class, span, start, ${COLUMNS})
    SELECT company, class, span, start, ${SUMMED}
    FROM (
      SELECT company, class, date, sum(sign)::integer AS asset_days, ${GROUPS.map(sumOfChange).join(', ')}
      FROM moved JOIN demographic_days ON asset = number GROUP BY company, class, date
    ) AS r CROSS JOIN ${spans('date')}
    GROUP BY company, class, span, start ORDER BY company, class, span, start
  ON CONFLICT (company, span, start, class) DO UPDATE SET ${ADDED};
  DELETE FROM network_demographics WHERE asset_days = 0 AND class IN (SELECT class FROM before);
  RETURN NULL;
END $$;
COMMENT ON FUNCTION move_demographics() IS 'Moves the demographics of assets to their new class. Its triggers fire before those that delete classes.';
CREATE TRIGGER assets_move_demographics AFTER UPDATE ON assets REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION move_demographics();

CREATE FUNCTION add_demographics(numbers integer[]) RETURNS void LANGUAGE sql SET search_path = public, pg_temp AS $$
${addChanges('SELECT 1 AS sign, * FROM demographic_days WHERE asset = ANY (numbers)')}
$$;
COMMENT ON FUNCTION add_demographics IS 'Adds all demographics of assets to the sums.';
SELECT add_demographics(array_agg(number)) FROM assets GROUP BY number / 1000;
`)
}

/** SQL of the day and the month of a date. */
function spans(date: string): string {
  return `LATERAL (VALUES ('day', ${date}), ('month', date_trunc('month', ${date})::date)) AS spans (span, start)`
}

/** SQL of the assets that rows add or remove, as bits by block and date. */
function blocksOf(rows: string, condition: string): string {
  return `
    SELECT company, asset / 2048 AS block, date, bit_or(set_bit(${NONE}, mod(asset, 2048), 1)) AS assets
    FROM (SELECT company, asset, date FROM (${rows}) AS r GROUP BY company, asset, date HAVING ${condition}) AS days
    GROUP BY company, asset / 2048, date ORDER BY company, date, block`
}

function sumOfChange(column: string): string {
  return `coalesce(sum(sign * ${column}::bigint), 0)::bigint AS ${column}`
}

/** SQL that adds rows of demographic_days with a sign to the sums. Always in one order, so that transactions do not deadlock. */
function addChanges(rows: string): string {
  const changes = `sum(sign)::integer AS asset_days, ${GROUPS.map(sumOfChange).join(', ')}`
  return `
WITH changes AS MATERIALIZED (${rows}),
days AS MATERIALIZED (
  SELECT c.company, a.class, c.date, ${changes}
  FROM changes c JOIN assets a ON a.number = c.asset GROUP BY c.company, a.class, c.date
),
networks AS (
  INSERT INTO network_demographics AS t (company, class, span, start, ${COLUMNS})
    SELECT company, class, span, start, ${SUMMED}
    FROM days CROSS JOIN ${spans('date')}
    GROUP BY GROUPING SETS ((company, span, start, class), (company, span, start)) ORDER BY company, class, span, start
  ON CONFLICT (company, span, start, class) DO UPDATE SET ${ADDED}
),
bits AS (
  INSERT INTO described_assets AS t (company, block, date, assets)
    ${blocksOf('SELECT * FROM changes', 'sum(sign) > 0')}
  ON CONFLICT (company, date, block) DO UPDATE SET assets = t.assets | excluded.assets
)
INSERT INTO asset_demographics AS t (asset, company, start, ${COLUMNS})
  SELECT asset, company, date_trunc('month', date)::date, ${changes}
  FROM changes GROUP BY asset, company, date_trunc('month', date)::date ORDER BY 1, 3
ON CONFLICT (asset, start) DO UPDATE SET ${ADDED};`
}

export { down } from '../migrate/forward-only'
