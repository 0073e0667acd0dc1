/** The question for the key: once for each tab. */
import type { FormEvent } from 'react'

interface Properties {
  fault: string | undefined
  busy: boolean
  onKey(key: string): void
}

export function KeyForm({ fault, busy, onKey }: Properties) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const key = new FormData(event.currentTarget).get('key')?.toString().trim()
    if (key) onKey(key)
  }
  return (
    <main className="graphiql-container key-page">
      <form className="key-form" onSubmit={submit}>
        <h1>Explorer</h1>
        <p>Ask the partner metrics whatever no fixed route answers, look at it, and take it away.</p>
        <label htmlFor="key">API key</label>
        <input
          id="key"
          name="key"
          type="password"
          autoComplete="off"
          spellCheck={false}
          placeholder="msk_…"
          required
          // biome-ignore lint/a11y/noAutofocus: it is all that there is to do here
          autoFocus
          aria-invalid={fault !== undefined}
          aria-describedby="key-note"
        />
        <p id="key-note" role={fault ? 'alert' : undefined} className={fault ? 'fault' : 'note'}>
          {fault ?? 'It stays in this tab and is forgotten with it.'}
        </p>
        <button type="submit" disabled={busy}>
          {busy ? 'Looking …' : 'Open'}
        </button>
      </form>
    </main>
  )
}
