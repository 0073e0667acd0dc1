/**
 * What stood on an asset, and what stands there, is told beside it too: judging counts by it takes no look at other tables.
 * A list of {sensor, nativeMinutes, from, to, present}, times in seconds since 1970, kept by triggers like what else is told
 * of an asset's sensors.
 */
const INSTALLATIONS = `
  SELECT asset, number AS sensor, native_minutes, counting_from AS installed, removed_at AS removed, true AS present
  FROM sensors WHERE asset = ANY (touched)
  UNION ALL
  SELECT asset, sensor, native_minutes, installed_at, removed_at, false FROM former_installations WHERE asset = ANY (touched)
`

/** Brings the assets of these numbers (a query) up to what their sensors are now. */
const keep = (name: string, touched: string) => `
CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  touched integer[] = ARRAY(SELECT DISTINCT asset FROM (${touched}) AS t WHERE asset IS NOT NULL ORDER BY asset);
BEGIN
  PERFORM tell_sensors_of(touched);
  RETURN NULL;
END $$;
`

const TOLD = ['id', 'asset', 'native_minutes', 'counting_from', 'removed_at']

const changed = `(${TOLD.map(column => `b.${column}`)}) IS DISTINCT FROM (${TOLD.map(column => `a.${column}`)})`

const former = (event: string, referencing: string, call: string) => `
CREATE TRIGGER keep_installations_on_${event.toLowerCase()} AFTER ${event} ON former_installations REFERENCING ${referencing}
  FOR EACH STATEMENT EXECUTE FUNCTION ${call}();
`

export const up = `
ALTER TABLE assets ADD COLUMN installations json NOT NULL DEFAULT '[]';

CREATE FUNCTION tell_sensors_of(touched integer[]) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  -- Who waits for another transaction here sees its sensors in the next statement.
  PERFORM FROM assets WHERE number = ANY (touched) ORDER BY number FOR NO KEY UPDATE;
  UPDATE assets AS a SET sensor_ids = now.ids, sensor_minutes = now.minutes, installations = now.installations::json
  FROM (
    SELECT t.number, array_remove(array_agg(s.id ORDER BY s.id), NULL) AS ids, max(s.native_minutes) AS minutes,
      coalesce(i.installations, '[]') AS installations
    FROM unnest(touched) AS t (number) LEFT JOIN sensors s ON s.asset = t.number
      LEFT JOIN (
        SELECT asset, json_agg(json_build_object('sensor', sensor, 'nativeMinutes', native_minutes,
          'from', extract(epoch FROM installed)::float8, 'to', extract(epoch FROM removed)::float8, 'present', present)
          ORDER BY installed, sensor, present)::text AS installations
        FROM (${INSTALLATIONS}) AS i GROUP BY asset
      ) AS i ON i.asset = t.number
    GROUP BY t.number, i.installations
  ) AS now
  WHERE a.number = now.number
    AND (a.sensor_ids, a.sensor_minutes, a.installations::text)
      IS DISTINCT FROM (now.ids, now.minutes, now.installations);
END $$;

${keep('keep_sensors_after', 'SELECT asset FROM after')}
${keep('keep_sensors_before', 'SELECT asset FROM before')}
${keep(
  'keep_sensors_changed',
  `SELECT unnest(ARRAY[b.asset, a.asset]) AS asset FROM before b JOIN after a USING (number) WHERE ${changed}`,
)}
${keep('keep_installations_changed', 'SELECT asset FROM before UNION ALL SELECT asset FROM after')}
${former('INSERT', 'NEW TABLE AS after', 'keep_sensors_after')}
${former('UPDATE', 'OLD TABLE AS before NEW TABLE AS after', 'keep_installations_changed')}
${former('DELETE', 'OLD TABLE AS before', 'keep_sensors_before')}

SELECT tell_sensors_of(ARRAY(SELECT number FROM assets));
`
