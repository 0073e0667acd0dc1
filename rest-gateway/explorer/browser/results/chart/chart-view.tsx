/** Shows a table as a chart, with a choice of the measure. */
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart as ChartJs,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from 'chart.js'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Table } from '../table/tables'
import { type Chart, createChart, findMeasures, isWeek } from './charts'
import { chooseColors, useDark } from './colors'
import { HeatMap } from './heat-map'

ChartJs.register(
  BarController,
  BarElement,
  CategoryScale,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
)

ChartJs.defaults.font.family = 'Roboto, system-ui, sans-serif'

export function ChartView({ table }: { table: Table }) {
  const measures = useMemo(() => findMeasures(table), [table])
  const [selected, setSelected] = useState<string>()
  const measure = selected !== undefined && measures.includes(selected) ? selected : measures[0]
  const chart = useMemo(() => (measure === undefined ? undefined : createChart(table, measure)), [table, measure])
  const hasWeek = isWeek(table)
  if (measure === undefined || !(chart || hasWeek))
    return <p className="empty">This list cannot be shown as a chart.</p>
  return (
    <figure className="chart-view">
      <figcaption>
        <select aria-label="Measure" value={measure} onChange={event => setSelected(event.target.value)}>
          {measures.map(name => (
            <option key={name}>{name}</option>
          ))}
        </select>
        {chart && chart.omitted > 0 && <span>{chart.omitted} more in the table</span>}
      </figcaption>
      {hasWeek ? <HeatMap table={table} measure={measure} /> : chart && <Canvas chart={chart} measure={measure} />}
    </figure>
  )
}

function Canvas({ chart, measure }: { chart: Chart; measure: string }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const dark = useDark()
  useEffect(() => {
    const instance = new ChartJs(canvas.current as HTMLCanvasElement, configureChart(chart, dark))
    return () => instance.destroy()
  }, [chart, dark])
  const label = `${measure}, ${chart.labels[0]} to ${chart.labels.at(-1)}`
  return (
    <div className="canvas">
      <canvas ref={canvas} role="img" aria-label={label} />
    </div>
  )
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 })

function configureChart({ kind, labels, series }: Chart, dark: boolean): ConstructorParameters<typeof ChartJs>[1] {
  const { text, line, series: palette } = chooseColors(dark)
  const isHorizontal = kind === 'bar' && series.length === 1
  const grid = { color: line, drawTicks: false }
  const valueAxis = {
    beginAtZero: true,
    border: { display: false },
    grid,
    ticks: { color: text, padding: 8, callback: (value: string | number) => compact.format(Number(value)) },
  }
  const labelAxis = {
    afterBuildTicks: (axis: { ticks: { value: number }[] }) => {
      const days = axis.ticks.filter(({ value }) => /T00:00/.test(labels[value] ?? ''))
      if (kind === 'line' && days.length > 2) axis.ticks = days
    },
    border: { color: line },
    grid: { display: false },
    ticks: {
      color: text,
      padding: 6,
      maxRotation: 0,
      autoSkip: kind === 'line',
      autoSkipPadding: 24,
      callback: shortenLabel,
    },
  }
  return {
    type: kind,
    data: {
      labels,
      datasets: series.map(({ name, values: data }, i) => {
        const color = palette[i % palette.length] as string
        return {
          label: name,
          data,
          borderColor: color,
          backgroundColor: color,
          borderWidth: kind === 'line' ? 1.75 : 0,
          borderRadius: 3,
          pointRadius: labels.length > 60 ? 0 : 2,
          pointHitRadius: 8,
          maxBarThickness: 26,
        }
      }),
    },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      indexAxis: isHorizontal ? 'y' : 'x',
      interaction: { mode: 'index', intersect: false, axis: isHorizontal ? 'y' : 'x' },
      scales: isHorizontal ? { x: valueAxis, y: labelAxis } : { x: labelAxis, y: valueAxis },
      plugins: {
        legend: { display: series.length > 1, align: 'start', labels: { color: text, boxWidth: 10, boxHeight: 10 } },
      },
    },
  }

  /** Shortens a label. Times at midnight are shown as dates. */
  function shortenLabel(index: string | number): string {
    const label = labels[Number(index)] ?? ''
    if (kind === 'bar') return label.length > 28 ? `${label.slice(0, 27)}…` : label
    return label
      .slice(0, 16)
      .replace('T', ' ')
      .replace(/ 00:00$/, '')
  }
}
