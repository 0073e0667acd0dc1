/** Opens queries that the user has chosen. */
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import { READY_QUERIES } from '../queries/ready-queries'

/**
 * Returns a function that opens a query with its variables (JSON) and runs it; undefined until the editors have been loaded. A
 * query that the user has written stays in its tab, a ready query is replaced.
 */
export function useOpenQuery(): ((query: string, variables: string) => void) | undefined {
  const { addTab, setOperationName, stop, updateActiveTabValues, run } = useGraphiQLActions()
  const queryEditor = useGraphiQL(state => state.queryEditor)
  const variableEditor = useGraphiQL(state => state.variableEditor)
  const responseEditor = useGraphiQL(state => state.responseEditor)
  if (!queryEditor || !variableEditor || !responseEditor) return undefined
  return (query, variables) => {
    const current = queryEditor.getValue().trim()
    const isReplaced = current === '' || current === query.trim() || READY_QUERIES.some(r => r.query.trim() === current)
    stop()
    if (!isReplaced) addTab()
    queryEditor.setValue(query)
    variableEditor.setValue(variables)
    updateActiveTabValues({ query, variables })
    setOperationName(/(?:query|subscription) (\w+)/.exec(query)?.[1] ?? '')
    run()
  }
}
