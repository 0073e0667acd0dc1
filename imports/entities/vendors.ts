/** Imports vendors. A vendor's finest grain is fixed as soon as one of its sensors has counted or moved. */
import { grainMinutes, grainName, isOwn, NATIVE_GRAINS, NATIVE_MINUTES } from '../../db/calendar/grains'
import { boolean, id, oneOf, required, text } from '../../db/columns'
import { COUNTED_DAYS } from '../../db/counts/set-aside-day'
import type { EntityDefinition } from './entity-import'

const MINUTES = grainMinutes('s.finest_grain')

const DEFAULT_MINUTES = `CASE WHEN s.own THEN ${NATIVE_MINUTES.minute} ELSE ${NATIVE_MINUTES.quarter_hour} END`

const OF_THIRD_PARTIES = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
  NATIVE_GRAINS.filter(grain => grain !== 'minute'),
)

export const vendors: EntityDefinition = {
  table: 'vendors',
  columns: {
    id,
    name: required(text(200)),
    own: required(boolean),
    finest_grain: oneOf(NATIVE_GRAINS),
  },
  extraColumns: ['final_own boolean', 'minutes smallint'],
  replacedColumns: ['own', 'finest_grain'],
  storedColumns: () => ({ own: 's.final_own', native_minutes: 's.minutes' }),
  async validate(rows, client) {
    await client.query(`
      UPDATE staged s SET final_own = s.own, minutes = coalesce(${MINUTES}, ${DEFAULT_MINUTES});
      UPDATE staged s SET final_own = coalesce(s.own, t.own), minutes = coalesce(${MINUTES}, t.native_minutes)
        FROM vendors t WHERE t.number = s.target`)
    await rows.reject(
      `'the finest grain of ' || CASE WHEN s.final_own THEN 'the own vendor is minute'
        ELSE 'a third party is ${OF_THIRD_PARTIES}' END || ', not ' || ${grainName('s.minutes')}`,
      `s.final_own <> (${isOwn('s.minutes')})`,
    )
    await rows.reject(
      `'finest_grain cannot change from ' || ${grainName('t.native_minutes')} || ': sensors of this vendor have counted or moved'`,
      `t.number = s.target AND t.native_minutes <> s.minutes AND EXISTS (SELECT FROM sensors x WHERE x.vendor = t.number
        AND (EXISTS (SELECT FROM ${COUNTED_DAYS} AS d WHERE d.sensor = x.number)
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
