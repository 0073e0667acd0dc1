/** One line: the REST call that answers what is in the editor, where there is one. */
import { useEffect, useMemo, useState } from 'react'
import { asRest, type FixedRoute } from './rest-call'

const routes: Promise<FixedRoute[]> = fetch('/explorer/routes.json').then(answer => answer.json())

export function RestLine({ query, variables }: { query: string; variables: string }) {
  const [known, setKnown] = useState<FixedRoute[]>([])
  const [copied, setCopied] = useState('')
  useEffect(() => {
    routes.then(setKnown, () => {})
  }, [])
  const address = useMemo(() => {
    try {
      return asRest(known, query, variables.trim() === '' ? {} : JSON.parse(variables))
    } catch {
      return undefined
    }
  }, [known, query, variables])
  if (address === undefined) return null
  const copy = async () => {
    await navigator.clipboard.writeText(`curl -H "X-API-Key: $KEY" '${location.origin}${address}'`)
    setCopied(address)
  }
  return (
    <div className="rest">
      <span>As REST</span>
      <code title={address}>GET {address}</code>
      <button type="button" onClick={copy}>
        {copied === address ? 'Copied' : 'Copy curl'}
      </button>
    </div>
  )
}
