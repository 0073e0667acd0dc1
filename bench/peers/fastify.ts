/**
 * Fastify as a good engineer writes it for production: SQL by hand, a key check in a hook, objects that Fastify serialises
 * by the JSON schemas of their routes. Request ids, rate limits per key, metrics by route, security headers, entity tags
 * and one log line per request come from Fastify itself and from its usual plugins.
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
import { announce, openPeer, setting } from './peer'
import { SCHEMAS } from './schemas'

const { pool, cursors } = openPeer()

const KEY = {
  name: 'key',
  text: `
SELECT k.id, ARRAY(
  SELECT c.number FROM companies c
  WHERE k.all_companies OR c.number = ANY (k.companies)
) AS companies
FROM api_keys k WHERE k.hash = $1 AND k.deactivated_at IS NULL`,
}

interface Key {
  id: string
  companies: number[]
}

class RequestError extends Error {
  constructor(
    readonly statusCode: number,
    readonly code: string,
  ) {
    super(code)
  }
}

async function authenticate(request: FastifyRequest): Promise<void> {
  const presented = request.headers['x-api-key']
  if (typeof presented !== 'string') throw new RequestError(401, 'MISSING_API_KEY')
  const { rows } = await pool.query<Key>({ ...KEY, values: [keyHash(presented)] })
  const [key] = rows
  if (!key) throw new RequestError(401, 'INVALID_API_KEY')
  request.setDecorator('key', key)
}

const keyOf = (request: FastifyRequest): Key | undefined => request.getDecorator<Key | undefined>('key')

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
  app.decorateRequest('key')
  app.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-Id', request.id)
  })
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, log } = request
    const [route, status, ms] = [routeOptions.url, reply.statusCode, Math.round(reply.elapsedTime * 10) / 10]
    log.info({ method, route, key_id: keyOf(request)?.id, status, ms }, 'request')
  })
  await app.register(serveOperations)
  await app.listen({ port: 0, host: '127.0.0.1' })
  announce((app.server.address() as { port: number }).port)
}

/** The routes that need a key. */
async function serveOperations(app: FastifyInstance): Promise<void> {
  app.addHook('preHandler', authenticate)
  await app.register(rateLimit, {
    hook: 'preHandler',
    max: Number(setting('RATE_LIMIT')),
    timeWindow: '1 minute',
    keyGenerator: request => keyOf(request)?.id ?? '',
    enableDraftSpec: true,
    errorResponseBuilder: () => new RequestError(429, 'RATE_LIMITED'),
  })
  for (const operation of OPERATIONS) addOperation(app, operation)
}

function addOperation(app: FastifyInstance, operation: Operation): void {
  const texts = new Map<string, string>()
  app.get<{ Params: { id?: string }; Querystring: Record<string, string> }>(
    operation.path,
    { schema: { response: { 200: SCHEMAS[operation.name] } } },
    async request => {
      const input = { id: request.params.id ?? '', query: request.query }
      const { name, text: textOf } = operation.statement(input)
      const text = texts.get(name) ?? textOf('$1::integer[]')
      texts.set(name, text)
      const values = [keyOf(request)?.companies, ...operation.values(input, cursors)]
      const { rows } = await pool.query({ name, text, values })
      const body = operation.body(rows as never[], input, cursors)
      if (!body) throw new RequestError(404, 'NOT_FOUND')
      return body
    },
  )
}

void main()
