/** The page of the explorer: the form for the key, which the tab keeps, then the questions or GraphiQL. */
import { type FormEvent, StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Explorer, type Session } from './explorer'
import { RequestError, readScope } from './request'

const STORAGE_KEY = 'partner-metrics-key'

const storedKey = (): string | null => sessionStorage.getItem(STORAGE_KEY)

const storeKey = (key: string): void => sessionStorage.setItem(STORAGE_KEY, key)

const removeKey = (): void => sessionStorage.removeItem(STORAGE_KEY)

interface Properties {
  error: string | undefined
  busy: boolean
  onKey(key: string): void
}

function KeyForm({ error, busy, onKey }: Properties) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const key = new FormData(event.currentTarget).get('key')?.toString().trim()
    if (key) onKey(key)
  }
  return (
    <main>
      <form className="key-form" onSubmit={submit}>
        <h1>Explorer</h1>
        <p className="soft">
          Answers to questions on impressions, people and sensors, as charts and tables, and GraphiQL for your own.
        </p>
        <label htmlFor="key">API key</label>
        <input
          id="key"
          name="key"
          type="password"
          autoComplete="off"
          required
          // A key that could not be tried is tried again.
          defaultValue={storedKey() ?? ''}
          // biome-ignore lint/a11y/noAutofocus: the page has no other control
          autoFocus
          aria-invalid={error !== undefined}
          aria-describedby="key-note"
        />
        <p id="key-note" role={error ? 'alert' : undefined}>
          {error ?? 'The key is stored in this browser tab until you close it.'}
        </p>
        <button type="submit" disabled={busy}>
          {busy ? 'Opening…' : 'Open'}
        </button>
      </form>
    </main>
  )
}

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
