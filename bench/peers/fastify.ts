/**
 * Fastify as a good engineer writes it for production: one round trip for a request, whose statement also looks up the key, and objects
 * that Fastify serialises by the JSON schemas of their routes. Request ids, rate limits per key, metrics by route, security headers, entity
 * tags and one log line per request come from Fastify itself and from its usual plugins.
 */
import { randomUUID } from 'node:crypto'
import etag from '@fastify/etag'
import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import metrics from 'fastify-metrics'
import { destination } from 'pino'
import { keyHash } from '../../db/api-keys/key-format'
import { OPERATIONS, type Operation } from './operations'
import { announce, pool, read, setting } from './peer'
import { SCHEMAS } from './schemas'

class RequestError extends Error {
  constructor(
    readonly statusCode: number,
    readonly code: string,
  ) {
    super(code)
  }
}

const keyOf = ({ headers }: FastifyRequest): string => {
  const presented = headers['x-api-key']
  if (typeof presented !== 'string') throw new RequestError(401, 'MISSING_API_KEY')
  return presented
}

/** Returns why a request has no rows. */
async function explainNone(hash: Buffer): Promise<RequestError> {
  const text = 'SELECT FROM api_keys WHERE hash = $1 AND deactivated_at IS NULL'
  const { rowCount } = await pool.query({ name: 'key', text, values: [hash] })
  return rowCount === 0 ? new RequestError(401, 'INVALID_API_KEY') : new RequestError(404, 'NOT_FOUND')
}

async function main(): Promise<void> {
  const app = fastify({
    logger: { level: setting('LOG_LEVEL'), stream: destination(2) },
    // One line per request, below, instead of Fastify's two.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: ({ headers }) => String(headers['x-request-id'] ?? randomUUID()),
    keepAliveTimeout: 65_000,
  })
  await app.register(helmet)
  // Without the summary, which costs more than the histogram and which the service does not have either.
  await app.register(metrics, { endpoint: '/metrics', routeMetrics: { enabled: { histogram: true, summary: false } } })
  await app.register(etag, { weak: true })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-Id', request.id)
  })
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, headers, log } = request
    const [route, status, ms] = [routeOptions.url, reply.statusCode, Math.round(reply.elapsedTime * 10) / 10]
    log.info({ method, route, key: headers['x-api-key']?.slice(0, 12), status, ms }, 'request')
  })
  await app.register(serveOperations)
  await app.listen({ port: 0, host: '127.0.0.1' })
  announce((app.server.address() as { port: number }).port)
}

/** The routes that need a key. */
async function serveOperations(app: FastifyInstance): Promise<void> {
  await app.register(rateLimit, {
    max: Number(setting('RATE_LIMIT')),
    timeWindow: '1 minute',
    keyGenerator: keyOf,
    enableDraftSpec: true,
    errorResponseBuilder: () => new RequestError(429, 'RATE_LIMITED'),
  })
  for (const operation of OPERATIONS) addOperation(app, operation)
}

function addOperation(app: FastifyInstance, operation: Operation): void {
  app.get<{ Params: { id?: string }; Querystring: Record<string, string> }>(
    operation.path,
    { schema: { response: { 200: SCHEMAS[operation.name] } } },
    async request => {
      const hash = keyHash(keyOf(request))
      const body = await read(operation, { id: request.params.id ?? '', query: request.query }, hash)
      if (!body) throw await explainNone(hash)
      return body
    },
  )
}

void main()
