/** Shows the assets of a result on a map, colored and sized by its numbers. Chosen assets become a query. */

import { type KeyboardEvent, useCallback, useMemo, useState } from 'react'
import { useOpenQuery } from '../../editor/open-query'
import { ErrorList } from '../../errors/error-list'
import { useDark } from '../../layout/theme'
import { useSession } from '../../scope-context'
import type { Variable } from '../../variables/describe-variables'
import { Picker } from '../../variables/picker'
import { useScopeAssets } from '../../variables/scope-assets'
import { findMeasures } from '../chart/charts'
import { chooseColors } from '../chart/colors'
import { findArguments } from '../chart/query-arguments'
import { ImageDownloads } from '../downloads/image-downloads'
import { useDrawing } from '../drawing'
import type { Inputs } from '../result'
import type { Table } from '../table/tables'
import { countAssets } from './count-assets'
import { drawMap } from './draw-map'
import { type Extent, findExtent, moveExtent } from './extents'
import { MAX_CHOSEN, querySelection } from './selection-query'
import { useBrush } from './use-brush'

interface Properties extends Inputs {
  table: Table
  described: Variable[]
  fileName: string
}

const ZOOM = 1.6

const STEP = 0.25

/** The arguments of `moveExtent` by key. */
const KEYS: Record<string, [right: number, up: number, factor?: number]> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, STEP],
  ArrowDown: [0, -STEP],
  '+': [0, 0, 1 / ZOOM],
  '-': [0, 0, ZOOM],
}

export function MapView({ table, query, variables, described, fileName }: Properties) {
  const { assets, error } = useScopeAssets()
  const { defaults } = useSession()
  const open = useOpenQuery()
  const colors = chooseColors(useDark())
  const measures = useMemo(() => findMeasures(table).filter(name => !/(latitude|longitude)$/i.test(name)), [table])
  const found = useMemo(() => countAssets(table, assets ?? [], measures), [table, assets, measures])
  const shown = useMemo(
    () => (found.length > 0 ? found : (assets ?? []).map(asset => ({ asset, numbers: {} }))),
    [found, assets],
  )
  const [color, setColor] = useState(measures[0])
  const [size, setSize] = useState(measures[0])
  const whole = useMemo(() => findExtent(shown), [shown])
  const [moved, setMoved] = useState<Extent>()
  const extent = moved ?? whole
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const brush = useBrush((indexes, isRectangle) => {
    const ids = indexes.flatMap(i => shown[i]?.asset.id ?? [])
    const isRemoval = !isRectangle && chosen.has(ids[0] ?? '')
    setChosen(new Set(isRemoval ? [...chosen].filter(id => id !== ids[0]) : [...chosen, ...ids]))
  })

  const { container, svg } = useDrawing(
    useCallback(
      (width, height) => drawMap(shown, { width, height, extent, colors, color, size, chosen }),
      [shown, extent, colors, color, size, chosen],
    ),
  )

  if (error) return <ErrorList errors={[error]} introduction="The assets could not be read." />
  if (!assets) return <p className="empty">The assets are being read …</p>
  const ids = [...chosen].slice(0, MAX_CHOSEN)
  const ask = () => {
    const range = { ...defaults, ...findArguments(query, variables, table.name) }
    const written = querySelection(ids, { query, variables, described }, range)
    open?.(written.query, written.variables)
  }
  const caption = [
    found.length > 0
      ? `${found.length} ${found.length === 1 ? 'asset' : 'assets'} of the result`
      : 'The result names no assets, so these are all in scope. Select their id in the query to see its numbers.',
    ...(color && found.length > 0 ? [`color: ${color}`] : []),
    ...(size && found.length > 0 ? [`size: ${size}`] : []),
  ]
  const draw = () => svg.current && { svg: svg.current, caption: [caption.join(' · ')], legend: [], colors }
  const press = (event: KeyboardEvent) => {
    const move = event.target === event.currentTarget ? KEYS[event.key] : undefined
    if (!move) return
    event.preventDefault()
    setMoved(moveExtent(extent, ...move))
  }
  return (
    <figure className="column chart-view">
      <div className="row chart-bar">
        {measures.length > 0 && found.length > 0 && (
          <>
            <MeasureChoice label="Color" measures={measures} value={color} onChange={setColor} />
            <MeasureChoice label="Size" measures={measures} value={size} onChange={setSize} />
          </>
        )}
        <button type="button" aria-label="Zoom in" onClick={() => setMoved(moveExtent(extent, 0, 0, 1 / ZOOM))}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => setMoved(moveExtent(extent, 0, 0, ZOOM))}>
          −
        </button>
        <button type="button" onClick={() => setMoved(undefined)}>
          All
        </button>
        <ImageDownloads fileName={fileName} draw={draw} />
      </div>
      <div className="row chart-bar">
        <Picker
          label="Choose assets"
          offers={shown.map(({ asset }) => ({
            value: asset.id,
            label: asset.name,
            detail: asset.city ?? asset.country,
          }))}
          values={[]}
          isMultiple
          placeholder="Choose assets …"
          onChange={values => setChosen(new Set([...chosen, ...values]))}
        />
        {chosen.size > 0 && (
          <>
            <span role="status">
              {chosen.size} chosen{chosen.size > MAX_CHOSEN && `, ${MAX_CHOSEN} at most in a query`}
            </span>
            <button type="button" disabled={!open} onClick={ask}>
              Query them
            </button>
            <button type="button" onClick={() => setChosen(new Set())}>
              Clear
            </button>
          </>
        )}
      </div>
      <figcaption className="soft">
        {caption.join(' · ')}. Click on assets or draw a rectangle to choose them.
      </figcaption>
      <section
        className="map"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move it, plus and minus zoom
        tabIndex={0}
        aria-label="Map. Arrow keys move it, plus and minus zoom."
        onKeyDown={press}
        {...brush.handlers}
      >
        <div ref={container} className="map-frame" />
        {brush.area && <div className="brush" style={toBox(brush.area)} />}
      </section>
    </figure>
  )
}

const toBox = ({ left, top, width, height }: DOMRect) => ({
  left,
  top,
  width: Math.abs(width),
  height: Math.abs(height),
})

interface ChoiceProperties {
  label: string
  measures: string[]
  value: string | undefined
  onChange(measure: string | undefined): void
}

function MeasureChoice({ label, measures, value, onChange }: ChoiceProperties) {
  return (
    <label>
      {label}{' '}
      <select value={value ?? ''} onChange={({ target }) => onChange(target.value || undefined)}>
        <option value="">the same for all</option>
        {measures.map(name => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  )
}
