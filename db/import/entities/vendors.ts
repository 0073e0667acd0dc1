/** Vendors from rows. How finely a vendor counts cannot change once its sensors have counted, or moved. */
import { grainName, NATIVE_MINUTES } from '../../calendar/grains'
import { id, oneOf, required, text, yesOrNo } from '../csv/values'
import type { EntityDefinition } from './entity-import'

const minutes = `CASE s.finest_grain ${Object.entries(NATIVE_MINUTES)
  .map(([name, length]) => `WHEN '${name}' THEN ${length}`)
  .join(' ')} END`

/** Minutes for what was not told. */
const usual = 'CASE WHEN s.own THEN 1 ELSE 15 END'

export const vendors: EntityDefinition = {
  table: 'vendors',
  noun: 'vendor',
  key: 'name',
  columns: {
    id,
    name: required(text(200)),
    own: required(yesOrNo),
    finest_grain: oneOf(Object.keys(NATIVE_MINUTES)),
  },
  extra: ['final_own boolean', 'minutes smallint'],
  resolved: ['own', 'finest_grain'],
  stored: () => ({ own: 's.final_own', native_minutes: 's.minutes' }),
  async check(rows, client) {
    await client.query(`
      UPDATE staged s SET final_own = s.own, minutes = coalesce(${minutes}, ${usual});
      UPDATE staged s SET final_own = coalesce(s.own, t.own), minutes = coalesce(${minutes}, t.native_minutes)
        FROM vendors t WHERE t.number = s.target`)
    await rows.reject(
      `'the finest grain of ' || CASE WHEN s.final_own THEN 'the own vendor is minute'
        ELSE 'a third party is quarter_hour or hour' END || ', not ' || ${grainName('s.minutes')}`,
      's.final_own <> (s.minutes = 1)',
    )
    await rows.reject(
      `'finest_grain cannot change from ' || ${grainName('t.native_minutes')} || ': sensors of this vendor have counted or moved'`,
      `t.number = s.target AND t.native_minutes <> s.minutes AND EXISTS (SELECT FROM sensors x WHERE x.vendor = t.number
        AND (EXISTS (SELECT FROM sensor_days d WHERE d.sensor = x.number)
          OR EXISTS (SELECT FROM former_installations f WHERE f.sensor = x.number)))`,
      'vendors t',
    )
  },
}
