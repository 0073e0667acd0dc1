/**
 * Refuses packed origins that cannot be read, and days that are not in their month, which adds 9 µs to writing a month. Whether
 * the indexes of places fit their list takes unpacking, and is checked by `partner-metrics verify`.
 */
import type { Knex } from 'knex'

/** The widths in bytes of a packed number, as in db/calendar/packed-origins.ts. */
const WIDTHS = '(1, 2, 4, 6)'

export async function up(knex: Knex): Promise<void> {
  // Not validated: damaged rows are reported by `verify`, and do not prevent an upgrade.
  await knex.raw(`
CREATE FUNCTION are_packed_origins(days bytea[]) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  day bytea;
BEGIN
  FOREACH day IN ARRAY array_remove(days, NULL) LOOP
    IF octet_length(day) < 3 OR get_byte(day, 0) / 16 NOT IN ${WIDTHS} OR get_byte(day, 0) % 16 NOT IN ${WIDTHS}
      OR (octet_length(day) - 1) % (get_byte(day, 0) / 16 + get_byte(day, 0) % 16) > 0
    THEN RETURN false; END IF;
  END LOOP;
  RETURN true;
END $$;
COMMENT ON FUNCTION are_packed_origins IS 'Whether each day has the length of whole entries, of numbers with known widths.';

ALTER TABLE origin_months
  ADD CONSTRAINT days_are_packed CHECK (are_packed_origins(days)) NOT VALID,
  ADD CONSTRAINT days_are_of_month CHECK (
    array_remove(days[extract(day FROM month + interval '1 month - 1 day')::integer + 1 :], NULL) = '{}') NOT VALID;
`)
}

export { down } from '../migrate/forward-only'
