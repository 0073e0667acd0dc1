/** What the ready queries start from: an asset that the key sees, and its last days with counts. */

export interface Sample {
  assetId: string
  country: string
  /** The last seven days with counts, and the last one. */
  fromDate: string
  toDate: string
}

export interface SeenAsset {
  id: string
  country: string
  finestGrain: string | null
  measuredTo: string | null
}

/** The asset that tells most: one with counts, by the minute if there is such a one. */
export function sampleOf(assets: SeenAsset[]): Sample {
  const counted = assets.filter(({ measuredTo }) => measuredTo !== null)
  const best = counted.find(({ finestGrain }) => finestGrain === 'minute') ?? counted[0] ?? assets[0]
  const toDate = best?.measuredTo ?? new Date().toISOString().slice(0, 10)
  return { assetId: best?.id ?? '', country: best?.country ?? 'DE', fromDate: daysBefore(toDate, 6), toDate }
}

export const daysBefore = (date: string, days: number): string =>
  new Date(Date.parse(date) - days * 86_400_000).toISOString().slice(0, 10)
