/** Shows a table as a chart, with a choice of the measure and the kind, a caption, and downloads. */

import { useCallback, useMemo, useState } from 'react'
import { useOpenQuery } from '../../editor/open-query'
import { useDark } from '../../layout/theme'
import { GAPS_QUERY, missingIn } from '../../queries/gaps-query'
import { useSession } from '../../scope-context'
import { useScopeAssets } from '../../variables/scope-assets'
import { CopyCsv } from '../downloads/copy-csv'
import { ImageDownloads } from '../downloads/image-downloads'
import { useDrawing } from '../drawing'
import type { Inputs } from '../result'
import type { Table } from '../table/tables'
import { describeChart } from './caption'
import { type Chart, type ChartKind, createChart, findKinds, findMeasures, listMatrix } from './charts'
import { chooseColors } from './colors'
import { drawChart } from './draw-chart'
import { useNotes } from './notes'
import { findPartialBuckets } from './partial-buckets'
import { findArguments } from './query-arguments'

interface Properties extends Inputs {
  table: Table
  /** The name of downloads, without the extension. */
  fileName: string
}

const KIND_NAMES: Record<ChartKind, string> = { line: 'Lines', bar: 'Bars', matrix: 'Matrix' }

const NO_CHART: Chart = { kind: 'bar', labels: [], series: [], omitted: 0 }

export function ChartView({ table, query, variables, fileName }: Properties) {
  const measures = useMemo(() => findMeasures(table), [table])
  const kinds = useMemo(() => findKinds(table), [table])
  const [selected, setSelected] = useState<string>()
  const [selectedKind, setSelectedKind] = useState<ChartKind>()
  const measure = measures.find(name => name === selected) ?? measures[0] ?? ''
  const kind = kinds.find(name => name === selectedKind) ?? kinds[0]
  const colors = chooseColors(useDark())
  const { defaults } = useSession()
  const { assets } = useScopeAssets()
  const chart = useMemo(
    () => (measure === '' || kind === undefined ? NO_CHART : createChart(table, measure, kind)),
    [table, measure, kind],
  )
  const matrix = useMemo(() => (chart.kind === 'matrix' ? listMatrix(table, chart) : undefined), [table, chart])
  const asked = useMemo(() => findArguments(query, variables, table.name), [query, variables, table.name])
  const partial = useMemo(
    () => (chart.kind === 'line' ? findPartialBuckets(chart.labels, asked, defaults) : new Map()),
    [chart, asked, defaults],
  )
  const { notes, failure } = useNotes(asked, chart.kind === 'line')
  const caption = describeChart(table, measure, asked, assets, partial, notes)
  if (failure) caption.push(failure)

  const open = useOpenQuery()
  const withoutCounts = useMemo(() => {
    const missing = missingIn(table, measure, asked)
    return asked.assetId === undefined ? [] : table.rows.flatMap(row => missing(row) ?? [])
  }, [table, measure, asked])
  const [first, last] = [withoutCounts[0], withoutCounts.at(-1)]
  const ask = () => open?.(GAPS_QUERY.query, JSON.stringify({ ...first, to: last?.to }, null, 2))

  const { container, svg } = useDrawing(
    useCallback(
      (width, height) => drawChart(chart, { measure, width, height: height - 8, colors, partial, notes }),
      [chart, measure, colors, partial, notes],
    ),
  )

  if (measure === '' || kind === undefined) return <p className="empty">This list cannot be shown as a chart.</p>
  const legend =
    chart.kind !== 'matrix' && chart.series.length > 1
      ? chart.series.map(({ name }, i) => ({ name, color: colors.series[i % colors.series.length]! }))
      : []
  const draw = () => svg.current && { svg: svg.current, caption, legend, colors }
  return (
    <figure className="column chart-view">
      <div className="row chart-bar">
        <select aria-label="Measure" value={measure} onChange={event => setSelected(event.target.value)}>
          {measures.map(name => (
            <option key={name}>{name}</option>
          ))}
        </select>
        {kinds.length > 1 && (
          <select
            aria-label="Kind of chart"
            value={kind}
            onChange={event => setSelectedKind(event.target.value as ChartKind)}
          >
            {kinds.map(name => (
              <option key={name} value={name}>
                {KIND_NAMES[name]}
              </option>
            ))}
          </select>
        )}
        <ImageDownloads fileName={fileName} draw={draw} />
        {matrix && <CopyCsv records={matrix} />}
      </div>
      <figcaption className="soft">
        {caption.map(line => (
          <div key={line}>{line}</div>
        ))}
        {first && last && (
          <div>
            {withoutCounts.length} without counts{' '}
            <button type="button" className="bare why" onClick={ask}>
              Why?
            </button>
          </div>
        )}
        {chart.omitted > 0 && <div>{chart.omitted} more in the table</div>}
        {legend.length > 0 && (
          <ul className="row legend">
            {legend.map(({ name, color }) => (
              <li key={name}>
                <i style={{ backgroundColor: color }} />
                {name}
              </li>
            ))}
          </ul>
        )}
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <section className="chart" ref={container} tabIndex={0} aria-label={`Chart: ${caption.join('. ')}`} />
    </figure>
  )
}
