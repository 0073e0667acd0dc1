/** Imports vendors. A vendor's finest grain is fixed as soon as one of its sensors has counted or moved. */
import { grainName, NATIVE_MINUTES } from '../../calendar/grains'
import { boolean, id, oneOf, required, text } from '../csv/columns'
import type { EntityDefinition } from './entity-import'

const nativeMinutes = `CASE s.finest_grain ${Object.entries(NATIVE_MINUTES)
  .map(([grain, minutes]) => `WHEN '${grain}' THEN ${minutes}`)
  .join(' ')} END`

const DEFAULT_MINUTES = 'CASE WHEN s.own THEN 1 ELSE 15 END'

export const vendors: EntityDefinition = {
  table: 'vendors',
  noun: 'vendor',
  naturalKey: 'name',
  columns: {
    id,
    name: required(text(200)),
    own: required(boolean),
    finest_grain: oneOf(Object.keys(NATIVE_MINUTES)),
  },
  extraColumns: ['final_own boolean', 'minutes smallint'],
  replacedColumns: ['own', 'finest_grain'],
  storedColumns: () => ({ own: 's.final_own', native_minutes: 's.minutes' }),
  async validate(rows, client) {
    await client.query(`
      UPDATE staged s SET final_own = s.own, minutes = coalesce(${nativeMinutes}, ${DEFAULT_MINUTES});
      UPDATE staged s SET final_own = coalesce(s.own, t.own), minutes = coalesce(${nativeMinutes}, t.native_minutes)
        FROM vendors t WHERE t.number = s.target`)
    await rows.reject(
      `'the finest grain of ' || CASE WHEN s.final_own THEN 'the own vendor is minute'
        ELSE 'a third party is quarter_hour, hour or day' END || ', not ' || ${grainName('s.minutes')}`,
      's.final_own <> (s.minutes = 1)',
    )
    await rows.reject(
      `'finest_grain cannot change from ' || ${grainName('t.native_minutes')} || ': sensors of this vendor have counted or moved'`,
      `t.number = s.target AND t.native_minutes <> s.minutes AND EXISTS (SELECT FROM sensors x WHERE x.vendor = t.number
        AND (EXISTS (SELECT FROM sensor_days d WHERE d.sensor = x.number)
          OR (SELECT count(*) FROM installations i WHERE i.sensor = x.number) > 1))`,
      'vendors t',
    )
  },
  async afterStore(_, client) {
    // Their sensors have one installation each, without counts.
    await client.query(`
      UPDATE installations i SET native_minutes = x.native_minutes
      FROM sensors x JOIN staged s ON s.target = x.vendor
      WHERE x.number = i.sensor AND x.asset = i.asset AND i.native_minutes <> x.native_minutes`)
  },
}
