/** The entry point of the explorer: the form for the key, then the workspace, which is loaded while the key is entered. */
import { type ComponentType, StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { removeKey, storedKey, storeKey } from './api-key'
import { type KeyScope, RequestError, readKeyScope } from './graphql-client'
import { KeyForm } from './key-form'
import type { WorkspaceProperties } from './workspace'

interface Session {
  key: string
  scope: KeyScope
  Workspace: ComponentType<WorkspaceProperties>
}

const workspace = import('./workspace')
// The promise is awaited when a key has been accepted.
workspace.catch(() => {})

const NOT_LOADED = 'This page could not be loaded as a whole. Reload it to try again.'

/** Applies the styles of the workspace, which were loaded for no medium so that they do not delay the form. */
function applyStyles(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[media="not all"]')) link.media = 'all'
}

function Explorer() {
  const [session, setSession] = useState<Session>()
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(storedKey() !== null)

  const open = async (key: string) => {
    setBusy(true)
    try {
      const scope = await readKeyScope(key)
      const { Workspace } = await workspace
      applyStyles()
      storeKey(key)
      setSession({ key, scope, Workspace })
      setError(undefined)
    } catch (error) {
      // Any other error passes, and the key is tried again.
      if (error instanceof RequestError && error.isOfKey) removeKey()
      setError(error instanceof RequestError ? error.message : NOT_LOADED)
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

  if (session) return <session.Workspace apiKey={session.key} scope={session.scope} onClose={close} />
  return <KeyForm error={error} busy={busy} onKey={open} />
}

createRoot(document.getElementById('explorer')!).render(
  <StrictMode>
    <Explorer />
  </StrictMode>,
)
