/** Default values for the variables of ready queries: an asset in scope and its last days with counts. */

export interface QueryDefaults {
  assetId: string
  country: string
  /** The last seven days with counts. */
  fromDate: string
  toDate: string
}

export interface MeasuredAsset {
  id: string
  country: string
  finestGrain: string | null
  measuredTo: string | null
}

/** Prefers an asset with counts by the minute, then any asset with counts. */
export function chooseDefaults(assets: MeasuredAsset[]): QueryDefaults {
  const measured = assets.filter(({ measuredTo }) => measuredTo !== null)
  const asset = measured.find(({ finestGrain }) => finestGrain === 'minute') ?? measured[0] ?? assets[0]
  const toDate = asset?.measuredTo ?? new Date().toISOString().slice(0, 10)
  return { assetId: asset?.id ?? '', country: asset?.country ?? 'DE', fromDate: daysBefore(toDate, 6), toDate }
}

export const daysBefore = (date: string, days: number): string =>
  new Date(Date.parse(date) - days * 86_400_000).toISOString().slice(0, 10)
