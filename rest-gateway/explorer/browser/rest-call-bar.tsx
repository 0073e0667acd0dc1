/** Shows the REST call that returns the data of the current query, if there is one. */
import { useEffect, useMemo, useState } from 'react'
import { CopyButton } from './copy-button'
import { findRestCall, type PersistedRoute } from './rest-call'

const routes: Promise<PersistedRoute[]> = fetch('/explorer/routes.json').then(response => response.json())

export function RestCallBar({ query, variables }: { query: string; variables: string }) {
  const [known, setKnown] = useState<PersistedRoute[]>([])
  useEffect(() => {
    // Without the routes, the bar stays hidden.
    routes.then(setKnown, () => {})
  }, [])
  const path = useMemo(() => {
    try {
      return findRestCall(known, query, variables.trim() === '' ? {} : JSON.parse(variables))
    } catch {
      return undefined
    }
  }, [known, query, variables])
  if (path === undefined) return null
  return (
    <div className="rest-call">
      <span>As REST</span>
      <code title={path}>GET {path}</code>
      <CopyButton label="Copy curl" text={`curl -H "X-API-Key: $KEY" '${location.origin}${path}'`} />
    </div>
  )
}
