/**
 * Fastify as a good engineer would write it in a day: SQL by hand, the key looked up by its hash in a hook, the answers
 * as objects that Fastify's serialisers write by the JSON schemas of their routes, entity tags by the usual plugin.
 */
import etag from '@fastify/etag'
import fastify, { type FastifyRequest } from 'fastify'
import { keyHash } from '../../db/api-keys/key-format'
import { OPERATIONS, Wrong } from './operations'
import { openPeer, tell } from './peer'
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

class Refused extends Error {
  constructor(
    readonly statusCode: number,
    readonly code: string,
  ) {
    super(code)
  }
}

async function companiesOf(request: FastifyRequest): Promise<number[]> {
  const presented = request.headers['x-api-key']
  if (typeof presented !== 'string') throw new Refused(401, 'MISSING_API_KEY')
  const { rows } = await pool.query<{ companies: number[] }>({ ...KEY, values: [keyHash(presented)] })
  const [key] = rows
  if (!key) throw new Refused(401, 'INVALID_API_KEY')
  return key.companies
}

async function main(): Promise<void> {
  const app = fastify({ logger: false, keepAliveTimeout: 65_000 })
  await app.register(etag, { weak: true })
  app.decorateRequest('companies')
  app.addHook('preHandler', async request => {
    request.setDecorator('companies', await companiesOf(request))
  })
  app.setErrorHandler((error, _, reply) => {
    const status = error instanceof Refused ? error.statusCode : error instanceof Wrong ? 400 : 500
    const code = error instanceof Refused ? error.code : error instanceof Wrong ? 'INVALID_PARAMETER' : 'INTERNAL'
    reply.status(status).send({ error: { code, message: code, details: {} } })
  })
  for (const operation of OPERATIONS) {
    const texts = new Map<string, string>()
    app.get<{ Params: { id?: string }; Querystring: Record<string, string> }>(
      operation.path,
      { schema: { response: { 200: SCHEMAS[operation.name] } } },
      async request => {
        const asked = { id: request.params.id ?? '', query: request.query }
        const { name, text } = operation.statement(asked)
        const known = texts.get(name) ?? text('$1::integer[]')
        texts.set(name, known)
        const companies = request.getDecorator<number[]>('companies')
        const { rows } = await pool.query({
          name,
          text: known,
          values: [companies, ...operation.values(asked, cursors)],
        })
        const answer = operation.answer(rows as never[], asked, cursors)
        if (!answer) throw new Refused(404, 'NOT_FOUND')
        return answer
      },
    )
  }
  await app.listen({ port: 0, host: '127.0.0.1' })
  tell((app.server.address() as { port: number }).port)
}

void main()
