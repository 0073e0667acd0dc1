/** The form for the API key. */
import type { FormEvent } from 'react'

/** The key is stored in the browser tab until that is closed. */
const STORAGE_KEY = 'partner-metrics-key'

export const storedKey = (): string | null => sessionStorage.getItem(STORAGE_KEY)

export const storeKey = (key: string): void => sessionStorage.setItem(STORAGE_KEY, key)

export const removeKey = (): void => sessionStorage.removeItem(STORAGE_KEY)

interface Properties {
  error: string | undefined
  busy: boolean
  onKey(key: string): void
}

export function KeyForm({ error, busy, onKey }: Properties) {
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
