/** The entry point of the explorer: the form for the key, then the workspace. */
import './monaco'
import { StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import 'graphiql/style.css'
import './explorer.css'
import { removeKey, storedKey, storeKey } from './api-key'
import { type KeyScope, readKeyScope } from './graphql-client'
import { KeyForm } from './key-form'
import { Workspace } from './workspace'

interface Session {
  key: string
  scope: KeyScope
}

function Explorer() {
  const [session, setSession] = useState<Session>()
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(storedKey() !== null)

  const open = async (key: string) => {
    setBusy(true)
    try {
      const scope = await readKeyScope(key)
      storeKey(key)
      setSession({ key, scope })
      setError(undefined)
    } catch (error) {
      removeKey()
      setError((error as Error).message)
    }
    setBusy(false)
  }
  const close = () => {
    removeKey()
    setSession(undefined)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stored key is tried once, when the page is loaded
  useEffect(() => {
    const key = storedKey()
    if (key) open(key)
  }, [])

  if (session) return <Workspace apiKey={session.key} scope={session.scope} onClose={close} />
  return <KeyForm error={error} busy={busy} onKey={open} />
}

createRoot(document.getElementById('explorer') as HTMLElement).render(
  <StrictMode>
    <Explorer />
  </StrictMode>,
)
