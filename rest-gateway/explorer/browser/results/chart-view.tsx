/** A table as a chart: lines over time, bars over anything else; which number it shows can be chosen. */
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
import { type Chart, chartOf, measuresOf } from './charts'
import { inkOf, useDark } from './colours'
import type { Table } from './tables'

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
  const measures = useMemo(() => measuresOf(table), [table])
  const [chosen, setChosen] = useState<string>()
  const measure = chosen !== undefined && measures.includes(chosen) ? chosen : measures[0]
  const chart = useMemo(() => (measure === undefined ? undefined : chartOf(table, measure)), [table, measure])
  if (!chart || measure === undefined)
    return <p className="empty">There is nothing in this list that a chart could show.</p>
  return (
    <figure className="chart-view">
      <figcaption>
        <select aria-label="Number to show" value={measure} onChange={event => setChosen(event.target.value)}>
          {measures.map(name => (
            <option key={name}>{name}</option>
          ))}
        </select>
        {chart.left > 0 && <span>{chart.left} more are in the table.</span>}
      </figcaption>
      <Canvas chart={chart} measure={measure} />
    </figure>
  )
}

function Canvas({ chart, measure }: { chart: Chart; measure: string }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const dark = useDark()
  useEffect(() => {
    const drawn = new ChartJs(canvas.current as HTMLCanvasElement, configurationOf(chart, dark))
    return () => drawn.destroy()
  }, [chart, dark])
  const label = `${measure}, ${chart.labels[0]} to ${chart.labels.at(-1)}`
  return (
    <div className="canvas">
      <canvas ref={canvas} role="img" aria-label={label} />
    </div>
  )
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 })

function configurationOf({ kind, labels, series }: Chart, dark: boolean): ConstructorParameters<typeof ChartJs>[1] {
  const { text, line, series: colours } = inkOf(dark)
  const sideways = kind === 'bar' && series.length === 1
  const grid = { color: line, drawTicks: false }
  const values = {
    beginAtZero: true,
    border: { display: false },
    grid,
    ticks: { color: text, padding: 8, callback: (value: string | number) => compact.format(Number(value)) },
  }
  const names = {
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
      callback: labelOf,
    },
  }
  return {
    type: kind,
    data: {
      labels,
      datasets: series.map(({ name, values: data }, i) => {
        const colour = colours[i % colours.length] as string
        return {
          label: name,
          data,
          borderColor: colour,
          backgroundColor: colour,
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
      indexAxis: sideways ? 'y' : 'x',
      interaction: { mode: 'index', intersect: false, axis: sideways ? 'y' : 'x' },
      scales: sideways ? { x: values, y: names } : { x: names, y: values },
      plugins: {
        legend: { display: series.length > 1, align: 'start', labels: { color: text, boxWidth: 10, boxHeight: 10 } },
      },
    },
  }

  /** A point in time as it is said at an axis: the hour only where there are hours. */
  function labelOf(index: string | number): string {
    const label = labels[Number(index)] ?? ''
    if (kind === 'bar') return label.length > 28 ? `${label.slice(0, 27)}…` : label
    return label
      .slice(0, 16)
      .replace('T', ' ')
      .replace(/ 00:00$/, '')
  }
}
