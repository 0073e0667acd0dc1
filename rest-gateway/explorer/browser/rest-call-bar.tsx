/** Shows the REST call that returns the data of the current query, if there is one. */
import { useEffect, useMemo, useState } from 'react'
import { findRestCall, type PersistedRoute } from './rest-call'

const routes: Promise<PersistedRoute[]> = fetch('/explorer/routes.json').then(response => response.json())

export function RestCallBar({ query, variables }: { query: string; variables: string }) {
  const [known, setKnown] = useState<PersistedRoute[]>([])
  const [copied, setCopied] = useState('')
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
  const copy = async () => {
    await navigator.clipboard.writeText(`curl -H "X-API-Key: $KEY" '${location.origin}${path}'`)
    setCopied(path)
  }
  return (
    <div className="rest-call">
      <span>As REST</span>
      <code title={path}>GET {path}</code>
      <button type="button" onClick={copy}>
        {copied === path ? 'Copied' : 'Copy curl'}
      </button>
    </div>
  )
}
