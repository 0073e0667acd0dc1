/** Draws assets on a map with Observable Plot: the outlines of countries, and a circle for each asset. */
import * as Plot from '@observablehq/plot'
import { feature } from 'topojson-client'
import world from 'world-atlas/countries-50m.json'
import { type Colors, mixColors } from '../chart/colors'
import type { PlacedAsset } from './place-assets'

export interface Extent {
  west: number
  south: number
  east: number
  north: number
}

interface Options {
  width: number
  height: number
  extent: Extent
  colors: Colors
  /** The numbers that circles are colored and sized by. */
  color: string | undefined
  size: string | undefined
  chosen: ReadonlySet<string>
}

const MIN_RADIUS = 3
const MAX_RADIUS = 18
const PLAIN_RADIUS = 5

const MAX_LABELS = 25

/** In degrees; around a single asset as well. */
const MIN_SPAN = 0.05

const countries = feature(world, world.objects.countries!)

const exact = new Intl.NumberFormat('en', { maximumFractionDigits: 4 })

/** The circles have the positions of their assets in `placed` as `data-index`. */
export function drawMap(placed: PlacedAsset[], options: Options): SVGSVGElement {
  const { width, height, extent, colors, color, size, chosen } = options
  const [shade, radius] = [scale(placed, color), scale(placed, size)]
  const fill = (asset: PlacedAsset) => {
    const share = shade(asset)
    return share === undefined ? colors.background : mixColors(colors.low, colors.high, share)
  }
  // Small circles are drawn last, so that larger ones do not hide them.
  const order = placed.map((_, i) => i).sort((a, b) => (radius(placed[b]) ?? 0) - (radius(placed[a]) ?? 0))
  const { west, south, east, north } = extent
  const svg = Plot.plot({
    width,
    height,
    margin: 0,
    projection: {
      type: 'mercator',
      domain: {
        type: 'MultiPoint',
        coordinates: [
          [west, south],
          [east, north],
        ],
      },
      inset: 28,
    },
    r: { type: 'identity' },
    color: { type: 'identity' },
    style: { background: colors.water, color: colors.text, fontFamily: 'system-ui, sans-serif' },
    marks: [
      Plot.geo(countries, { fill: colors.background, stroke: colors.border, strokeWidth: 0.7 }),
      Plot.dot(order, {
        x: (i: number) => placed[i]?.asset.longitude,
        y: (i: number) => placed[i]?.asset.latitude,
        r: (i: number) => {
          const share = radius(placed[i])
          return size === undefined ? PLAIN_RADIUS : MIN_RADIUS + Math.sqrt(share ?? 0) * (MAX_RADIUS - MIN_RADIUS)
        },
        fill: (i: number) => fill(placed[i]!),
        stroke: (i: number) => (chosen.has(placed[i]?.asset.id ?? '') ? colors.missing : colors.text),
        strokeWidth: (i: number) => (chosen.has(placed[i]?.asset.id ?? '') ? 3 : 0.8),
        fillOpacity: 0.85,
        title: (i: number) => describe(placed[i]!, [color, size]),
        sort: null,
        className: 'assets',
      }),
      Plot.text(listLabels(placed), {
        x: 'longitude',
        y: 'latitude',
        text: 'text',
        dy: -14,
        fill: colors.text,
        stroke: colors.background,
        strokeWidth: 3,
        pointerEvents: 'none',
      }),
    ],
  }) as SVGSVGElement
  svg.querySelectorAll<SVGElement>('.assets circle').forEach((circle, i) => {
    circle.dataset.index = String(order[i])
  })
  return svg
}

/** Returns the extent of assets with a margin, or of the inhabited earth without assets. */
export function findExtent(placed: PlacedAsset[]): Extent {
  if (placed.length === 0) return { west: -170, south: -55, east: 180, north: 72 }
  const [longitudes, latitudes] = [
    placed.map(({ asset }) => asset.longitude),
    placed.map(({ asset }) => asset.latitude),
  ]
  const [west, east] = [Math.min(...longitudes), Math.max(...longitudes)]
  const [south, north] = [Math.min(...latitudes), Math.max(...latitudes)]
  const margin = Math.max(MIN_SPAN, (east - west) / 20, (north - south) / 20)
  return { west: west - margin, south: south - margin, east: east + margin, north: north + margin }
}

interface Label {
  text: string
  longitude: number
  latitude: number
}

/** Returns the names of cities, or in a single city those of assets; none if they would cover the map. */
function listLabels(placed: PlacedAsset[]): Label[] {
  const cities = new Map<string, PlacedAsset[]>()
  for (const entry of placed) {
    const { city } = entry.asset
    if (city) cities.set(city, [...(cities.get(city) ?? []), entry])
  }
  const groups: [string, PlacedAsset[]][] =
    cities.size > 1 ? [...cities] : placed.map(entry => [entry.asset.name, [entry]])
  if (groups.length > MAX_LABELS) return []
  const mean = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length
  return groups.map(([text, members]) => ({
    text,
    longitude: mean(members.map(({ asset }) => asset.longitude)),
    latitude: mean(members.map(({ asset }) => asset.latitude)),
  }))
}

/** Returns the share of an asset's number between the smallest and the largest one, 0 to 1; undefined without a number. */
function scale(
  placed: PlacedAsset[],
  measure: string | undefined,
): (asset: PlacedAsset | undefined) => number | undefined {
  const read = (asset: PlacedAsset | undefined) => (measure === undefined ? undefined : asset?.numbers[measure])
  const numbers = placed.map(read).filter(number => number !== undefined)
  const [min, max] = [Math.min(...numbers), Math.max(...numbers)]
  return asset => {
    const number = read(asset)
    return number === undefined ? undefined : max === min ? 1 : (number - min) / (max - min)
  }
}

function describe({ asset, numbers }: PlacedAsset, measures: (string | undefined)[]): string {
  const values = [...new Set(measures)].flatMap(measure => {
    if (measure === undefined) return []
    const number = numbers[measure]
    return [`${measure}: ${number === undefined ? 'no data' : exact.format(number)}`]
  })
  return [asset.name, [asset.city, asset.country].filter(Boolean).join(', '), ...values].join('\n')
}
