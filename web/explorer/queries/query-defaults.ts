/** Default values for the variables of ready queries: what is in the scope of the key, and its last whole weeks with data. */

export interface QueryDefaults {
  assetId: string
  /** Up to three assets of the country, `assetId` first. */
  assetIds: string[]
  /** The country with the most measured assets. */
  country: string
  /** The two cities of the country with the most measured assets; empty texts if there are none. */
  cities: [string, string]
  /** The last whole week with data, Monday to Sunday. The last days with data, if there is no whole week. */
  fromDate: string
  toDate: string
  /** The first day with data of any asset. */
  firstDay: string
  /** The last day with data that is over. */
  lastDay: string
}

export interface MeasuredAsset {
  id: string
  country: string
  city: string | null
  finestGrain: string | null
  measuredFrom: string | null
  measuredTo: string | null
}

/** Prefers an asset with counts by the minute, then any asset with counts. A day that is not over counts for nothing. */
export function chooseDefaults(assets: MeasuredAsset[], today = new Date().toISOString().slice(0, 10)): QueryDefaults {
  const measured = assets.filter(({ measuredTo }) => measuredTo !== null)
  const known = measured.length > 0 ? measured : assets
  const country = countMost(known.map(asset => asset.country))[0] ?? 'DE'
  const inCountry = known.filter(asset => asset.country === country)
  const asset = inCountry.find(({ finestGrain }) => finestGrain === 'minute') ?? inCountry[0]
  const yesterday = daysBefore(today, 1)
  const measuredTo = asset?.measuredTo ?? yesterday
  const lastDay = measuredTo < yesterday ? measuredTo : yesterday
  const sunday = lastSunday(lastDay)
  const hasWholeWeek = !asset?.measuredFrom || asset.measuredFrom <= daysBefore(sunday, 6)
  const toDate = hasWholeWeek ? sunday : lastDay
  const [first = '', second = first] = countMost(inCountry.flatMap(({ city }) => city ?? []))
  return {
    assetId: asset?.id ?? '',
    assetIds: [...new Set([asset, ...inCountry])].flatMap(entry => entry?.id ?? []).slice(0, 3),
    country,
    cities: [first, second],
    fromDate: daysBefore(toDate, 6),
    toDate,
    firstDay: known.flatMap(({ measuredFrom }) => measuredFrom ?? []).sort()[0] ?? '',
    lastDay,
  }
}

export const daysBefore = (date: string, days: number): string =>
  new Date(Date.parse(date) - days * 86_400_000).toISOString().slice(0, 10)

/** Returns the last Sunday that is not after a day. */
export const lastSunday = (date: string): string => daysBefore(date, new Date(date).getUTCDay())

/** Returns distinct values, those that occur most often first, then by text. */
function countMost(values: string[]): string[] {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b)).map(([value]) => value)
}
