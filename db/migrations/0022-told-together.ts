/**
 * What is told with each asset and each sensor stands beside it, so that a page is read from one table: the id of an asset's
 * company, the ids of its sensors and the coarsest of their native minutes; the id of a sensor's asset. Ids of others are
 * held to theirs by foreign keys. Kept by triggers, so that no way of writing can forget it.
 */
const fill = (table: string, column: string, from: string, number: string) => `
CREATE FUNCTION tell_${column}() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  NEW.${column} = (SELECT id FROM ${from} WHERE number = NEW.${number});
  RETURN NEW;
END $$;
CREATE TRIGGER tell_${column} BEFORE INSERT OR UPDATE OF ${number} ON ${table}
  FOR EACH ROW EXECUTE FUNCTION tell_${column}();
ALTER TABLE ${from} ADD UNIQUE (number, id);
ALTER TABLE ${table} ADD COLUMN ${column} text COLLATE "C",
  ADD FOREIGN KEY (${number}, ${column}) REFERENCES ${from} (number, id) ON UPDATE CASCADE;
UPDATE ${table} SET ${number} = ${number};
ALTER TABLE ${table} ADD CHECK ((${number} IS NULL) = (${column} IS NULL));
`

/** Brings the assets of these numbers (a query) up to what their sensors are now. */
const keep = (name: string, touched: string) => `
CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  touched integer[] = ARRAY(SELECT DISTINCT asset FROM (${touched}) AS t WHERE asset IS NOT NULL ORDER BY asset);
BEGIN
  -- Who waits for another transaction here sees its sensors in the next statement.
  PERFORM FROM assets WHERE number = ANY (touched) ORDER BY number FOR NO KEY UPDATE;
  UPDATE assets AS a SET sensor_ids = now.ids, sensor_minutes = now.minutes
  FROM (
    SELECT t.number, array_remove(array_agg(s.id ORDER BY s.id), NULL) AS ids, max(s.native_minutes) AS minutes
    FROM unnest(touched) AS t (number) LEFT JOIN sensors s ON s.asset = t.number GROUP BY t.number
  ) AS now
  WHERE a.number = now.number AND (a.sensor_ids, a.sensor_minutes) IS DISTINCT FROM (now.ids, now.minutes);
  RETURN NULL;
END $$;
`

const TOLD = ['id', 'asset', 'native_minutes']

const changed = `(${TOLD.map(column => `b.${column}`)}) IS DISTINCT FROM (${TOLD.map(column => `a.${column}`)})`

export const up = `
${fill('assets', 'company_id', 'companies', 'company')}
${fill('sensors', 'asset_id', 'assets', 'asset')}
CREATE INDEX sensors_of_asset_id ON sensors (asset_id, id);

ALTER TABLE assets ADD COLUMN sensor_ids text[] COLLATE "C" NOT NULL DEFAULT '{}', ADD COLUMN sensor_minutes smallint;
${keep('keep_sensors_after', 'SELECT asset FROM after')}
${keep('keep_sensors_before', 'SELECT asset FROM before')}
${keep(
  'keep_sensors_changed',
  `SELECT unnest(ARRAY[b.asset, a.asset]) AS asset FROM before b JOIN after a USING (number) WHERE ${changed}`,
)}
CREATE TRIGGER keep_sensors_on_insert AFTER INSERT ON sensors REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION keep_sensors_after();
CREATE TRIGGER keep_sensors_on_update AFTER UPDATE ON sensors REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION keep_sensors_changed();
CREATE TRIGGER keep_sensors_on_delete AFTER DELETE ON sensors REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION keep_sensors_before();

UPDATE assets AS a SET sensor_ids = s.ids, sensor_minutes = s.minutes
FROM (SELECT asset, array_agg(id ORDER BY id) AS ids, max(native_minutes) AS minutes FROM sensors GROUP BY asset) AS s
WHERE a.number = s.asset;
`
