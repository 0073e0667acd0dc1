/** Checks the months of origins, whose places and packed days no constraint of the database compares. */
import type { ClientBase } from 'pg'
import { packOrigins, unpackOrigins } from '../calendar/packed-origins'
import { readBatches } from '../cursor'
import type { Difference, OnDifference } from './compare'

/** Months in memory at once. */
const BATCH = 500

interface StoredMonth {
  asset: string
  /** `YYYY-MM` */
  month: string
  length: number
  places: unknown[]
  /** By day of the month, separated by commas; empty for a day without counts. */
  days: string
}

/** Reports damaged months, which have to be deleted and imported again. Returns the number of months. */
export async function checkOriginMonths(
  client: ClientBase,
  since: string | undefined,
  onDifference: OnDifference,
): Promise<number> {
  let checked = 0
  const months = `SELECT (SELECT id FROM assets WHERE number = m.asset) AS asset, to_char(m.month, 'YYYY-MM') AS month,
      extract(day FROM m.month + interval '1 month - 1 day')::integer AS length, m.places, array_to_string(m.days, ',', '') AS days
    FROM origin_months m WHERE m.month >= date_trunc('month', date '${since ?? '-infinity'}') ORDER BY m.asset, m.month`
  for await (const rows of readBatches<StoredMonth>(client, months, BATCH)) {
    for (const month of rows) for (const difference of compareMonth(month)) await onDifference(difference)
    checked += rows.length
  }
  return checked
}

/** A region of ISO 3166-2 and a city. */
const PLACE = /^[A-Z]{2}-[A-Z0-9]{1,3} .{1,200}$/su

const EXPECTED = {
  places: 'different places, as in "DE-BE Berlin"',
  days: 'ascending indexes of its places, each with its impressions',
}

function compareMonth({ asset, month, length, places, days }: StoredMonth): Difference[] {
  const describe = (column: keyof typeof EXPECTED, row: string, stored: string, expected = EXPECTED[column]) => ({
    ...{ table: 'origin_months', column, row: `${asset} ${row}`, stored, expected, repairable: false },
  })
  const differences: Difference[] = []
  const isPlace = (place: unknown) => typeof place === 'string' && PLACE.test(place)
  if (!places.every(isPlace) || new Set(places).size < places.length)
    differences.push(describe('places', `in ${month}`, JSON.stringify(places)))
  days.split(',').forEach((packed, i) => {
    if (packed === '') return
    if (i >= length) differences.push(describe('days', `in ${month}`, `a day ${i + 1}`, `${length} days`))
    else if (!isPacked(packed, places.length))
      differences.push(describe('days', `on ${month}-${String(i + 1).padStart(2, '0')}`, packed))
  })
  return differences
}

/** Widths that a list can have, and at least one entry. */
const FORM = /^\\x[1246][1246](?:..)+$/

/** Whether a day is as `packOrigins` writes it, with indexes of this number of places. */
function isPacked(packed: string, places: number): boolean {
  if (!FORM.test(packed)) return false
  const counts = unpackOrigins(packed)
  // Packing them again orders them, drops those that occur twice, and completes the last one.
  return packOrigins(counts) === packed && Math.max(...counts.keys()) < places
}
