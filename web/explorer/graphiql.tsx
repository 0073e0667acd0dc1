/** GraphiQL as it comes. */
import 'graphiql/style.css'
import { GraphiQL } from 'graphiql'
import { TabFocus } from 'monaco-editor/esm/vs/editor/browser/config/tabFocus.js'
import { type ComponentProps, useCallback } from 'react'
import type { Variables } from './form/variables'
import { execute, type GraphqlRequest } from './request'

/** The files of Monaco's workers, which the build bundles. */
declare const WORKERS: { editor: string; json: string; graphql: string }

Object.assign(globalThis, {
  MonacoEnvironment: {
    getWorker: (_: string, label: string) =>
      new Worker(label === 'json' ? WORKERS.json : label === 'graphql' ? WORKERS.graphql : WORKERS.editor),
  },
})

// The Tab key leaves an editor, so that the page can be used with the keyboard alone.
TabFocus.setTabFocusMode(true)

interface Properties {
  apiKey: string
  query: string
  variables: Variables
}

export function Editors({ apiKey, query, variables }: Properties) {
  // GraphiQL reads the schema again when it is given another function.
  const fetcher = useCallback(
    async ({ operationName, ...request }: GraphqlRequest) => {
      // For a moment after a query was replaced, GraphiQL sends the name of the operation before.
      const isNamed = operationName && request.query.includes(operationName)
      return (await execute(apiKey, isNamed ? { ...request, operationName } : request)).body
    },
    [apiKey],
  )
  return (
    <GraphiQL
      fetcher={fetcher as ComponentProps<typeof GraphiQL>['fetcher']}
      initialQuery={query}
      initialVariables={JSON.stringify(variables, null, 2)}
      defaultEditorToolsVisibility="variables"
      isHeadersEditorEnabled={false}
      showPersistHeadersSettings={false}
    >
      <GraphiQL.Logo>{''}</GraphiQL.Logo>
    </GraphiQL>
  )
}
