/** The page of the explorer: the form for the key, then the questions or GraphiQL. */
import { StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Explorer, type Session } from './explorer'
import { KeyForm, removeKey, storedKey, storeKey } from './key-form'
import { RequestError, readScope } from './request'

function Page() {
  const [session, setSession] = useState<Session>()
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(storedKey() !== null)
  const open = async (key: string) => {
    setBusy(true)
    try {
      setError(undefined)
      const scope = await readScope(key)
      storeKey(key)
      setSession({ apiKey: key, scope })
    } catch (error) {
      // Any other error passes, and the key is tried again.
      if (error instanceof RequestError && error.isOfKey) removeKey()
      setError(error instanceof RequestError ? error.message : `The page has an error: ${error}`)
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
  if (!session) return <KeyForm error={error} busy={isBusy} onKey={open} />
  return <Explorer {...session} onClose={close} />
}

createRoot(document.getElementById('explorer')!).render(
  <StrictMode>
    <Page />
  </StrictMode>,
)
