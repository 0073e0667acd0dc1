/** Draws assets on a map with Observable Plot: the outlines of countries, and a circle for each asset. */
import * as Plot from '@observablehq/plot'
import { feature } from 'topojson-client'
import world from 'world-atlas/countries-50m.json'
import type { Colors } from '../chart/colors'
import { exact } from '../table/format'
import type { CountedAsset } from './count-assets'
import type { Extent } from './extents'

interface MapStyle {
  width: number
  height: number
  extent: Extent
  colors: Colors
  /** The measures that circles are colored and sized by. */
  color: string | undefined
  size: string | undefined
  chosen: ReadonlySet<string>
}

const RADIUS = { min: 3, plain: 5, max: 18 }

const MAX_LABELS = 25

const countries = feature(world, world.objects.countries!)

/** The circles have the positions of their assets in the list as `data-index`. */
export function drawMap(assets: CountedAsset[], style: MapStyle): SVGSVGElement {
  const { width, height, extent, colors, color, size, chosen } = style
  const { west, south, east, north } = extent
  const corners = [
    [west, south],
    [east, north],
  ]
  const isChosen = ({ asset }: CountedAsset) => chosen.has(asset.id)
  return Plot.plot({
    width,
    height,
    margin: 0,
    projection: { type: 'mercator', domain: { type: 'MultiPoint', coordinates: corners }, inset: 28 },
    r: { type: 'sqrt', domain: [0, 1], range: [RADIUS.min, RADIUS.max] },
    color: { type: 'linear', domain: [0, 1], range: [colors.low, colors.high], unknown: colors.background },
    style: { background: colors.water, color: colors.text, fontFamily: 'system-ui, sans-serif' },
    marks: [
      Plot.geo(countries, { fill: colors.background, stroke: colors.border, strokeWidth: 0.7 }),
      // Plot draws small circles last, so that larger ones do not hide them.
      Plot.dot(assets, {
        x: ({ asset }) => asset.longitude,
        y: ({ asset }) => asset.latitude,
        r: size === undefined ? RADIUS.plain : listShares(assets, size).map(share => share ?? 0),
        fill: listShares(assets, color),
        stroke: { value: assets.map(asset => (isChosen(asset) ? colors.missing : colors.text)), scale: null },
        strokeWidth: asset => (isChosen(asset) ? 3 : 0.8),
        fillOpacity: 0.85,
        title: asset => describe(asset, [color, size]),
        render: (index, scales, values, dimensions, context, next) => {
          const group = next!(index, scales, values, dimensions, context) as SVGGElement
          for (const [i, circle] of [...group.querySelectorAll('circle')].entries())
            circle.dataset.index = String(index[i])
          return group
        },
      }),
      label(assets, colors),
    ],
  }) as SVGSVGElement
}

/** Returns the names of cities, or in a single city those of assets; none if they would cover the map. */
function label(assets: CountedAsset[], colors: Colors): Plot.Text | null {
  const cities = new Set(assets.flatMap(({ asset }) => asset.city ?? []))
  const isCities = cities.size > 1
  if ((isCities ? cities.size : assets.length) > MAX_LABELS) return null
  return Plot.text(
    assets,
    Plot.groupZ(
      { x: 'mean', y: 'mean', text: 'first' },
      {
        x: ({ asset }) => asset.longitude,
        y: ({ asset }) => asset.latitude,
        z: ({ asset }: CountedAsset) => (isCities ? asset.city : asset.id),
        text: ({ asset }) => (isCities ? asset.city : asset.name),
        dy: -14,
        fill: colors.text,
        stroke: colors.background,
        strokeWidth: 3,
        pointerEvents: 'none',
      },
    ),
  )
}

/** Returns the share of each asset's number between the smallest and the largest one, 0 to 1; undefined without a number. */
function listShares(assets: CountedAsset[], measure = ''): (number | undefined)[] {
  const numbers = assets.map(asset => asset.numbers[measure])
  const known = numbers.filter(number => number !== undefined)
  const [min, max] = [Math.min(...known), Math.max(...known)]
  return numbers.map(number => (number === undefined ? undefined : max === min ? 1 : (number - min) / (max - min)))
}

function describe({ asset, numbers }: CountedAsset, measures: (string | undefined)[]): string {
  const values = [...new Set(measures)].flatMap(measure => {
    if (measure === undefined) return []
    const number = numbers[measure]
    return [`${measure}: ${number === undefined ? 'no data' : exact.format(number)}`]
  })
  return [asset.name, [asset.city, asset.country].filter(Boolean).join(', '), ...values].join('\n')
}
