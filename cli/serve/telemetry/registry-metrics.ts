/** Converts the metrics of a Prometheus registry into those of OpenTelemetry, with the same names. */
import { type HrTime, ValueType } from '@opentelemetry/api'
import { AggregationTemporality, type DataPoint, DataPointType, type MetricData } from '@opentelemetry/sdk-metrics'
import type { Registry } from 'prom-client'

type MetricsJson = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

type Metric = MetricsJson[number]
type Value = Metric['values'][number] & { metricName?: string }
type Labels = Value['labels']

/** @param now in milliseconds since 1970 */
export function convertMetrics(metrics: MetricsJson, now: number): MetricData[] {
  const starts = findStarts(metrics)
  const point = <V>(labels: Labels, value: V): DataPoint<V> => ({
    startTime: toHrTime(starts.get(labels.worker) ?? now),
    endTime: toHrTime(now),
    // In Prometheus, all labels are text.
    attributes: Object.fromEntries(Object.entries(labels).map(([name, label]) => [name, String(label)])),
    value,
  })
  return metrics.map(metric => {
    const { name, help, values } = metric
    const common = {
      descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
    }
    // The declared type is a number, in JSON it is the name.
    const type = String(metric.type)
    if (type === 'histogram') {
      const dataPoints = readHistograms(values).map(({ labels, ...histogram }) => point(labels, histogram))
      return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints }
    }
    const dataPoints = values.map(({ labels, value }) => point(labels, value))
    if (type === 'counter') return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    return { ...common, dataPointType: DataPointType.GAUGE, dataPoints }
  })
}

/** Returns when each process began to count, by worker: the counts of a worker that was replaced begin again. */
function findStarts(metrics: MetricsJson): Map<unknown, number> {
  const { values = [] } = metrics.find(({ name }) => name === 'process_start_time_seconds') ?? {}
  return new Map(values.map(({ labels, value }: Value) => [labels.worker, value * 1000]))
}

interface Histogram {
  labels: Labels
  buckets: { boundaries: number[]; counts: number[] }
  sum: number
  count: number
}

/** Returns a histogram for each combination of labels. The buckets of Prometheus contain all smaller ones. */
function readHistograms(values: readonly Value[]): Histogram[] {
  const histograms = new Map<string, Histogram & { cumulated: number }>()
  for (const { metricName, labels: all, value } of values) {
    const { le, ...labels } = all
    const id = JSON.stringify(Object.entries(labels).sort())
    const histogram = histograms.get(id) ?? {
      labels,
      buckets: { boundaries: [], counts: [] },
      sum: 0,
      count: 0,
      cumulated: 0,
    }
    histograms.set(id, histogram)
    if (metricName?.endsWith('_sum')) histogram.sum = value
    else if (metricName?.endsWith('_count')) histogram.count = value
    else {
      if (le !== '+Inf') histogram.buckets.boundaries.push(Number(le))
      histogram.buckets.counts.push(value - histogram.cumulated)
      histogram.cumulated = value
    }
  }
  return [...histograms.values()].map(({ cumulated, ...histogram }) => histogram)
}

const toHrTime = (ms: number): HrTime => {
  const seconds = Math.floor(ms / 1000)
  return [seconds, Math.round((ms - seconds * 1000) * 1_000_000)]
}
