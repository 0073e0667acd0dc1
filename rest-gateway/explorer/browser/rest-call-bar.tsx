/** Shows the REST call that returns the data of a query, if there is one. */
import { useEffect, useMemo, useState } from 'react'
import { CopyButton } from './copy-button'
import { findRestCall, type PersistedRoute } from './rest-call'
import type { Inputs } from './results/result'

const routes: Promise<PersistedRoute[]> = fetch('/explorer/routes.json').then(response => response.json())

export function RestCallBar({ query, variables }: Inputs) {
  const [known, setKnown] = useState<PersistedRoute[]>([])
  useEffect(() => {
    // Without the routes, the bar stays hidden.
    routes.then(setKnown, () => {})
  }, [])
  const path = useMemo(() => findRestCall(known, query, variables), [known, query, variables])
  if (path === undefined) return null
  return (
    <div className="rest-call">
      <span>As REST</span>
      <code title={path}>GET {path}</code>
      <CopyButton label="Copy curl" text={`curl -H "X-API-Key: $KEY" '${location.origin}${path}'`} />
    </div>
  )
}
