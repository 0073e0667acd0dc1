/**
 * Parts that traces and metrics share: the resource, and exporters whose failures are logged. This folder is loaded only if
 * telemetry is turned on. The SDK itself reads the standard variables (`OTEL_*`).
 */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import type { Logger } from 'pino'
import { packageVersion } from '../../package-directory'

/** The instrumentation scope, and the name of the service unless `OTEL_SERVICE_NAME` gives another one. */
export const NAME = 'partner-metrics'

/** This process. */
export const RESOURCE = defaultResource()
  .merge(
    resourceFromAttributes({
      'service.name': NAME,
      'service.version': packageVersion(),
      'service.instance.id': randomUUID(),
      'host.name': hostname(),
      'process.pid': process.pid,
    }),
  )
  .merge(detectResources({ detectors: [envDetector] }))

/** The time that the last export may take when the process ends. */
const FLUSH_TIMEOUT_MS = 2_000

interface Exporter<Items> {
  export(items: Items, done: (result: { code: number; error?: Error }) => void): void
}

/** Logs the first failure of an exporter, and then its next success, instead of each export. */
export function logOutages<Items, E extends Exporter<Items>>(
  exporter: E & Exporter<Items>,
  items: string,
  log: Logger,
): E {
  const send = exporter.export.bind(exporter)
  let isFailing = false
  exporter.export = (batch, done) =>
    send(batch, result => {
      const { error } = result
      if (error && !isFailing) {
        log.warn(
          { reason: error.message || String(error) },
          `${items} cannot be exported; logged once until it succeeds`,
        )
      } else if (!error && isFailing) log.info(`${items} are exported again`)
      isFailing = error !== undefined
      done(result)
    })
  return exporter
}

/** Exports what is left, unless the collector is away or too slow. */
export async function flush(shutdown: Promise<void>): Promise<void> {
  await Promise.race([shutdown.catch(() => {}), sleep(FLUSH_TIMEOUT_MS)])
}
