/** The part of the earth that a map shows. */
import type { CountedAsset } from './count-assets'

export interface Extent {
  west: number
  south: number
  east: number
  north: number
}

/** In degrees; around a single asset as well. */
const MIN_SPAN = 0.05

/** Maps end near the poles, where the projection has no end. */
const MAX_LATITUDE = 84

/** Returns the extent of assets with a margin, or of the inhabited earth without assets. */
export function findExtent(assets: CountedAsset[]): Extent {
  if (assets.length === 0) return { west: -170, south: -55, east: 180, north: 72 }
  const longitudes = assets.map(({ asset }) => asset.longitude)
  const latitudes = assets.map(({ asset }) => asset.latitude)
  const [west, east, south, north] = [
    Math.min(...longitudes),
    Math.max(...longitudes),
    Math.min(...latitudes),
    Math.max(...latitudes),
  ]
  const margin = Math.max(MIN_SPAN, (east - west) / 20, (north - south) / 20)
  return { west: west - margin, south: south - margin, east: east + margin, north: north + margin }
}

/** Moves by parts of what is shown, east and north, and zooms around the center: a factor below 1 shows less. */
export function moveExtent({ west, south, east, north }: Extent, right: number, up: number, factor = 1): Extent {
  const [width, height] = [east - west, north - south]
  const [x, y] = [(west + east) / 2 + width * right, (south + north) / 2 + height * up]
  return {
    west: Math.max(x - (width / 2) * factor, -180),
    south: Math.max(y - (height / 2) * factor, -MAX_LATITUDE),
    east: Math.min(x + (width / 2) * factor, 180),
    north: Math.min(y + (height / 2) * factor, MAX_LATITUDE),
  }
}
