/** Exports the metrics of `/metrics` at an interval. */
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { flush, logOutages, NAME, RESOURCE } from './otlp'
import { convertMetrics } from './registry-metrics'

/**
 * Begins to export metrics.
 *
 * @param collect returns the current metrics
 * @returns a function that exports them for the last time
 */
export function exportMetrics(collect: () => Promise<Registry>, intervalMs: number, log: Logger): () => Promise<void> {
  const reader = new PeriodicExportingMetricReader({
    exporter: logOutages(new OTLPMetricExporter(), 'metrics', log),
    exportIntervalMillis: intervalMs,
  })
  reader.setMetricProducer({
    async collect() {
      const metrics = convertMetrics(await (await collect()).getMetricsAsJSON(), Date.now())
      return { resourceMetrics: { resource: RESOURCE, scopeMetrics: [{ scope: { name: NAME }, metrics }] }, errors: [] }
    },
  })
  return () => flush(reader.shutdown())
}
