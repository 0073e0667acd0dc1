/** What is there for everybody, without a key: the documents, and how the load balancer sees that the service is well. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GraphQLSchema } from 'graphql'
import { migrationPage } from './docs/migration'
import { renderPage } from './docs/page'
import { referencePage } from './docs/reference'
import type { Gateway } from './gateway'
import { openApi } from './openapi'
import type { Route } from './route'

/** It stands beside this room, in the source as in the build. */
const CHANGELOG = join(__dirname, '..', 'CHANGELOG.md')

/** How the load balancer sees that the process is alive, and that it is ready to serve. */
export const HEALTH = ['/healthz', '/readyz']

interface Open {
  /** What it is called in logs and metrics. */
  operation: string
  path: string
  /** As Koa takes it. */
  type: string
  answer(): Promise<string>
}

export function openPaths({ reader }: Gateway, schema: GraphQLSchema, routes: Route[]): Open[] {
  const fixed = (path: string, type: string, text: string): Open => ({
    operation: 'Documents',
    path,
    type,
    answer: async () => text,
  })
  return [
    { operation: 'Health', path: '/healthz', type: 'text', answer: async () => 'ok' },
    {
      operation: 'Readiness',
      path: '/readyz',
      type: 'text',
      answer: async () => {
        await reader.ping()
        return 'ready'
      },
    },
    fixed('/openapi.json', 'json', JSON.stringify(openApi(schema, routes))),
    fixed('/docs', 'html', referencePage(routes)),
    fixed('/docs/migration', 'html', migrationPage()),
    fixed('/docs/changelog', 'html', renderPage(readFileSync(CHANGELOG, 'utf8'), {})),
  ]
}
