/** Shows the assets of a result on a map, colored and sized by its numbers. Chosen assets become a query. */

import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
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
import type { Inputs } from '../result'
import type { Table } from '../table/tables'
import { drawMap, type Extent, findExtent } from './draw-map'
import { moveExtent, zoomExtent } from './extents'
import { placeAssets } from './place-assets'
import { MAX_CHOSEN, querySelection } from './selection-query'
import { useBrush } from './use-brush'

interface Properties extends Inputs {
  table: Table
  described: Variable[]
  fileName: string
}

const ZOOM = 1.6

const KEYS: Record<string, (extent: Extent) => Extent> = {
  ArrowLeft: extent => moveExtent(extent, -1, 0),
  ArrowRight: extent => moveExtent(extent, 1, 0),
  ArrowUp: extent => moveExtent(extent, 0, 1),
  ArrowDown: extent => moveExtent(extent, 0, -1),
  '+': extent => zoomExtent(extent, 1 / ZOOM),
  '-': extent => zoomExtent(extent, ZOOM),
}

export function MapView({ table, query, variables, described, fileName }: Properties) {
  const { assets, error } = useScopeAssets()
  const { defaults } = useSession()
  const open = useOpenQuery()
  const colors = chooseColors(useDark())
  const measures = useMemo(() => findMeasures(table).filter(name => !/(latitude|longitude)$/i.test(name)), [table])
  const found = useMemo(() => placeAssets(table, assets ?? [], measures), [table, assets, measures])
  const placed = useMemo(
    () => (found.length > 0 ? found : (assets ?? []).map(asset => ({ asset, numbers: {} }))),
    [found, assets],
  )
  const [color, setColor] = useState(measures[0])
  const [size, setSize] = useState(measures[0])
  const whole = useMemo(() => findExtent(placed), [placed])
  const [moved, setMoved] = useState<Extent>()
  const extent = moved ?? whole
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const frame = useRef<HTMLElement>(null)
  const container = useRef<HTMLDivElement>(null)
  const svg = useRef<SVGSVGElement>(null)
  const brush = useBrush(frame, (indexes, isRectangle) => {
    const ids = indexes.flatMap(i => placed[i]?.asset.id ?? [])
    const isRemoval = !isRectangle && chosen.has(ids[0] ?? '')
    setChosen(new Set(isRemoval ? [...chosen].filter(id => id !== ids[0]) : [...chosen, ...ids]))
  })

  useEffect(() => {
    const element = container.current
    if (!element) return
    const draw = () => {
      const { clientWidth: width, clientHeight: height } = element
      // On narrow screens, another pane is shown.
      if (width === 0) return
      svg.current = drawMap(placed, { width, height, extent, colors, color, size, chosen })
      // The list of assets chooses the same with the keyboard, and the table has the values.
      svg.current.setAttribute('aria-hidden', 'true')
      element.replaceChildren(svg.current)
    }
    const observer = new ResizeObserver(draw)
    observer.observe(element)
    return () => observer.disconnect()
  }, [placed, extent, colors, color, size, chosen])

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
    const change = event.target === frame.current ? KEYS[event.key] : undefined
    if (!change) return
    event.preventDefault()
    setMoved(change(extent))
  }
  return (
    <figure className="chart-view">
      <div className="chart-bar">
        {measures.length > 0 && found.length > 0 && (
          <>
            <MeasureChoice label="Color" measures={measures} value={color} onChange={setColor} />
            <MeasureChoice label="Size" measures={measures} value={size} onChange={setSize} />
          </>
        )}
        <button type="button" aria-label="Zoom in" onClick={() => setMoved(zoomExtent(extent, 1 / ZOOM))}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => setMoved(zoomExtent(extent, ZOOM))}>
          −
        </button>
        <button type="button" onClick={() => setMoved(undefined)}>
          All
        </button>
        <ImageDownloads fileName={fileName} draw={draw} />
      </div>
      <div className="chart-bar">
        <Picker
          label="Choose assets"
          options={placed.map(({ asset }) => ({
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
      <figcaption>{caption.join(' · ')}. Click on assets or draw a rectangle to choose them.</figcaption>
      <section
        ref={frame}
        className="map"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move it, plus and minus zoom
        tabIndex={0}
        aria-label="Map. Arrow keys move it, plus and minus zoom."
        onKeyDown={press}
        {...brush.handlers}
      >
        <div ref={container} className="map-frame" />
        {brush.rectangle && (
          <div
            className="brush"
            style={{
              left: brush.rectangle.left,
              top: brush.rectangle.top,
              width: brush.rectangle.right - brush.rectangle.left,
              height: brush.rectangle.bottom - brush.rectangle.top,
            }}
          />
        )}
      </section>
    </figure>
  )
}

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
