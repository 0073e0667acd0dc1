/** The demo as the tables that the import reads, column by column as its kinds have them. */
import { Readable } from 'node:stream'
import { type Day, daysOf } from '../../calendar/local-days'
import { COMPANIES, FACES } from './assets'
import { type AssetDay, demographicsOf, originsOf } from './audience'
import { type Post, type Sensor, VENDORS } from './sensors'

type Row = readonly (string | number | boolean)[]

export interface Table {
  columns: string
  rows: Iterable<Row>
}

export const companies = (): Table => ({
  columns: 'id,name',
  rows: Object.values(COMPANIES).map(company => [company.id, company.name]),
})

export const vendors = (): Table => ({
  columns: 'id,name,own,finest_grain',
  rows: Object.values(VENDORS).map(vendor => [vendor.id, vendor.name, vendor.own, vendor.grain]),
})

export const assets = (): Table => ({
  columns:
    'id,legacy_id,company_id,name,description,media_type,format,venue_type_id,status,indoors,facing_degrees,' +
    'width_m,height_m,latitude,longitude,address,city,region,postal_code,country,time_zone',
  rows: FACES.map(({ city, ...face }) => [
    ...[face.id, face.legacyId, face.company.id, face.name, face.description, face.media, face.format, face.venue],
    ...[face.status, face.indoors, face.facing, face.width, face.height, face.latitude, face.longitude, face.address],
    ...[city.name, city.region, face.postal, city.country, city.zone],
  ]),
})

/** The sensors, each where the post says; a sensor in stock has none. */
export const sensors = (posted: Iterable<readonly [Sensor, Post | undefined]>): Table => ({
  columns: 'id,serial,model,vendor_id,asset_id,billable_state,installed_at,removed_at',
  rows: Array.from(posted, ([sensor, post]) => [
    ...[sensor.id, sensor.serial, sensor.model, sensor.vendor.id, post?.face.id ?? '', sensor.state],
    ...[post ? rfc3339(postedAt(post)) : '', post?.until ? rfc3339(startOf(post, post.until)) : ''],
  ]),
})

export const origins = (days: Iterable<AssetDay>): Table => ({
  columns: 'asset_id,date,country,region,city,impressions',
  rows: flatten(days, originsOf),
})

export const demographics = (days: Iterable<AssetDay>): Table => ({
  columns: 'asset_id,date,gender,age_band,impressions',
  rows: flatten(days, demographicsOf),
})

function* flatten<T>(items: Iterable<T>, rowsOf: (item: T) => Iterable<Row>): Generator<Row> {
  for (const item of items) yield* rowsOf(item)
}

/** When the sensor came to its post: at the start of that local day, in seconds since 1970. */
export const postedAt = (post: Post): number => startOf(post, post.from)

const startOf = (post: Post, date: string): number => (daysOf(post.face.city.zone, date, date)[0] as Day).start

const rfc3339 = (instant: number): string => new Date(instant * 1000).toISOString()

/** A table as CSV. */
export function csvOf({ columns, rows }: Table): Readable {
  return Readable.from(chunksOf(columns, rows))
}

function* chunksOf(columns: string, rows: Iterable<Row>): Generator<string> {
  let lines = [columns]
  for (const row of rows) {
    lines.push(row.map(quote).join(','))
    if (lines.length < 500) continue
    yield `${lines.join('\n')}\n`
    lines = []
  }
  if (lines.length > 0) yield `${lines.join('\n')}\n`
}

const quote = (cell: string | number | boolean): string => {
  const text = String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
