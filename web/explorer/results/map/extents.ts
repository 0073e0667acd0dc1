/** Moves and zooms the extent of a map. */
import type { Extent } from './draw-map'

const STEP = 0.25

/** Maps end near the poles, where the projection has no end. */
const MAX_LATITUDE = 84

/** Zooms around the center; a factor below 1 shows less. */
export function zoomExtent({ west, south, east, north }: Extent, factor: number): Extent {
  const [x, y] = [(west + east) / 2, (south + north) / 2]
  const [width, height] = [((east - west) / 2) * factor, ((north - south) / 2) * factor]
  return clamp({ west: x - width, south: y - height, east: x + width, north: y + height })
}

/** Moves by a quarter of what is shown; 1 is east and north. */
export function moveExtent({ west, south, east, north }: Extent, right: number, up: number): Extent {
  const [x, y] = [(east - west) * STEP * right, (north - south) * STEP * up]
  return clamp({ west: west + x, south: south + y, east: east + x, north: north + y })
}

const clamp = ({ west, south, east, north }: Extent): Extent => ({
  west: Math.max(west, -180),
  south: Math.max(south, -MAX_LATITUDE),
  east: Math.min(east, 180),
  north: Math.min(north, MAX_LATITUDE),
})
