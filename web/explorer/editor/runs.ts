/** Runs queries, and keeps the request that each tab ran: the editors go on, the result in the tab is of that request. */
import type { GraphiQLProvider } from '@graphiql/react'
import type { Fetcher } from '@graphiql/toolkit'
import { type ComponentProps, createContext, useMemo, useState } from 'react'
import { execute, type GraphqlRequest } from '../graphql-client'
import { parseQuery } from '../parse-query'

/** A request as it was sent. */
export interface Run {
  /** No two runs have the same number. */
  number: number
  query: string
  variables: Record<string, unknown>
  operationName: string | undefined
}

/** The last run of each tab, by the ids of tabs. */
type Runs = Readonly<Record<string, Run>>

export const RunsContext = createContext<Runs>({})

type ProviderProperties = ComponentProps<typeof GraphiQLProvider>

/** Returns the runs, and the properties of GraphiQL that make them. */
export function useRuns(key: string): [Runs, Pick<ProviderProperties, 'fetcher' | 'onTabChange'>] {
  const [runs, setRuns] = useState<Runs>({})
  const properties = useMemo(() => {
    let active = ''
    let count = 0
    const fetcher: Fetcher = (request, options) => {
      // GraphiQL reads the schema without the document of the editor.
      if (!options || !('documentAST' in options)) return execute(key, request).then(({ body }) => body)
      const { query, variables = {} } = request
      count += 1
      // Shortly after the text has changed, GraphiQL still has the operation of the text before.
      const parsed = parseQuery(query, request.operationName) ?? parseQuery(query)
      const run: Run = { number: count, query, variables, operationName: parsed?.operation.name?.value }
      // Before a run GraphiQL empties the result of the tab, so that the active one is known.
      setRuns(known => ({ ...known, [active]: run }))
      return observe(key, run) as never
    }
    const onTabChange: ProviderProperties['onTabChange'] = ({ tabs, activeTabIndex }) => {
      active = tabs[activeTabIndex]?.id ?? ''
    }
    return { fetcher, onTabChange }
  }, [key])
  return [runs, properties]
}

/** GraphiQL gives a response to the tab that is active. It ends a run before it changes the tab, if it can. */
const observe = (key: string, request: GraphqlRequest) => ({
  subscribe({ next, complete }: { next(body: unknown): void; complete(): void }) {
    const controller = new AbortController()
    execute(key, request, controller.signal).then(({ body }) => {
      if (controller.signal.aborted) return
      next(body)
      complete()
    })
    return { unsubscribe: () => controller.abort() }
  },
})
