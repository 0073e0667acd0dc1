/** SOFA, which makes REST routes from the query fields of a schema, on a schema derived from the service's records. */
import { createServer } from 'node:http'
import { useSofa } from 'sofa-api'
import { keyHash } from '../../db/api-keys/key-format'
import { ReaderPool } from '../../db/postgres/scoped-reader'
import { Context } from '../../resolvers/context'
import { schema } from '../../resolvers/schema'
import { partnerRoutes } from '../../rest-gateway/routes/partner'
import { serve, setting } from './peer'
import { restSchema, type SofaContext } from './sofa-schema'

const database = new ReaderPool(setting('READER_DATABASE_URL'), {
  connections: 10,
  statementTimeoutMs: 60_000,
  connectTimeoutMs: 60_000,
})

/** Lists are left out: their envelope does not come from a resolver. */
const routes = partnerRoutes.filter(({ query }) => !query.includes('hasMore'))

const sofa = useSofa({
  basePath: '/',
  schema: restSchema(schema, routes),
  routes: Object.fromEntries(
    routes.map(({ operation, path }) => [
      `Query.${operation}`,
      { method: 'GET' as const, path: path.replace(/\{(\w+)\}/g, ':$1') },
    ]),
  ),
  context: ({ sofa }: { sofa: SofaContext }) => sofa,
})

const server = createServer(async (request, response) => {
  const key = request.headers['x-api-key']
  if (typeof key !== 'string') return void response.writeHead(401).end()
  const reader = database.readerFor(keyHash(key))
  if (!(await reader.authenticate())) return void response.writeHead(401).end()
  await sofa(request, response, { sofa: { context: new Context(reader, Date.now()), variables: {} } })
})

void serve(server)
