/**
 * Exports one span for each request by OTLP. Its attributes are named by OpenTelemetry's conventions for HTTP and
 * databases. Loaded only if OTEL_EXPORTER_OTLP_ENDPOINT is set. The SDK itself reads the standard variables (`OTEL_*`),
 * those of sampling and batches among them, which `@opentelemetry/sdk-trace` does not.
 */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { Logger } from 'pino'
import type { CompletedRequest, TraceParent, Traces } from '../../rest-gateway/edge/request-log'
import { packageVersion } from '../package-directory'

/** The instrumentation scope, and the name of the service unless `OTEL_SERVICE_NAME` gives another one. */
const NAME = 'partner-metrics'

/** The time that the last export may take when the process ends. */
const FLUSH_TIMEOUT_MS = 2_000

/** Other methods come from callers, and could be anything. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'])

export class RequestTraces implements Traces {
  private readonly provider: BasicTracerProvider

  constructor(log: Logger) {
    const exporter = new OTLPTraceExporter()
    logOutages(exporter, log)
    const resource = defaultResource()
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
    // Bounded: spans are dropped while the queue is full.
    this.provider = new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] })
  }

  record(request: CompletedRequest): { trace_id: string; span_id: string } {
    const { route, status, code, start, ms, begun, reads } = request
    // Computed for each request: the clock may be set while the process runs.
    const origin = Date.now() - performance.now()
    const method = METHODS.has(request.method) ? request.method : '_OTHER'
    const span = this.provider.getTracer(NAME).startSpan(
      route === undefined ? method : `${method} ${route}`,
      {
        kind: SpanKind.SERVER,
        startTime: origin + start,
        attributes: {
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': status,
          'error.type': status >= 500 ? (code ?? String(status)) : undefined,
          'graphql.operation.name': request.graphqlOperation,
          'db.response.returned_rows': reads.rows,
          'partner_metrics.batches': reads.batches,
          'partner_metrics.request_id': request.requestId,
          'partner_metrics.operation': request.operation,
          'partner_metrics.key_id': request.keyId,
          'partner_metrics.code': code,
        },
      },
      continueTrace(request.parent),
    )
    for (const [stage, time] of Object.entries(begun)) span.addEvent(stage, origin + time)
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(origin + start + ms)
    const { traceId, spanId } = span.spanContext()
    return { trace_id: traceId, span_id: spanId }
  }

  /** Exports what is left, unless the collector is away or too slow. */
  async close(): Promise<void> {
    await Promise.race([this.provider.shutdown().catch(() => {}), sleep(FLUSH_TIMEOUT_MS)])
  }
}

function continueTrace(parent: TraceParent | undefined) {
  if (!parent) return ROOT_CONTEXT
  const { traceId, spanId, isSampled } = parent
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

/** Logs the first failure of an exporter, and then its next success, instead of each export. */
function logOutages(exporter: OTLPTraceExporter, log: Logger): void {
  const send = exporter.export.bind(exporter)
  let isFailing = false
  exporter.export = (spans, done) =>
    send(spans, result => {
      const { error } = result
      if (error && !isFailing) {
        log.warn({ reason: error.message || String(error) }, 'traces cannot be exported; logged once until it succeeds')
      } else if (!error && isFailing) log.info('traces are exported again')
      isFailing = error !== undefined
      done(result)
    })
}
