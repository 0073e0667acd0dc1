/** Exports one span for each request. Its attributes are named by OpenTelemetry's conventions for HTTP and databases. */
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { Logger } from 'pino'
import type { TracedRequest, TraceParent, Traces } from '../../../rest-gateway/gateway'
import { flush, logOutages, NAME, RESOURCE } from './otlp'

/** Other methods come from callers, and could be anything. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'])

export class RequestTraces implements Traces {
  private readonly provider: BasicTracerProvider

  constructor(log: Logger) {
    const exporter = logOutages(new OTLPTraceExporter(), 'traces', log)
    // Bounded: spans are dropped while the queue is full.
    this.provider = new BasicTracerProvider({ resource: RESOURCE, spanProcessors: [new BatchSpanProcessor(exporter)] })
  }

  record(request: TracedRequest): { trace_id: string; span_id: string } {
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

  /** Exports what is left. */
  close(): Promise<void> {
    return flush(this.provider.shutdown())
  }
}

function continueTrace(parent: TraceParent | undefined) {
  if (!parent) return ROOT_CONTEXT
  const { traceId, spanId, isSampled } = parent
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}
