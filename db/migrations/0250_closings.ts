/** Companies record each close, so that it can be taken back. */
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE companies ADD COLUMN closings date[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN companies.closings IS 'What was final after each close that is in force; the last one is final_through.';
UPDATE companies c SET closings = ARRAY(
  SELECT DISTINCT day FROM operations o, LATERAL (
    SELECT ((details->>'month') || '-01')::date + interval '1 month' - interval '1 day') AS closed (day)
  WHERE o.command = 'close' AND o.details->>'undo' IS NULL AND coalesce(o.details->>'company', c.id) IN (c.id, c.name)
    AND day < c.final_through ORDER BY day)::date[] || final_through
WHERE final_through IS NOT NULL`)
}

export { down } from '../migrate/forward-only'
