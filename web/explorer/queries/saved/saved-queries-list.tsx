/** The list of saved queries, with a form to save the current one, and export and import as a file. */
import { type ChangeEvent, type FormEvent, useState } from 'react'
import { useLink } from '../../editor/address'
import { useOpenQuery } from '../../editor/open-query'
import { download } from '../../results/downloads/download'
import { useView } from '../../results/views'
import {
  formatFile,
  loadSavedQueries,
  mergeQueries,
  parseFile,
  type SavedQuery,
  storeSavedQueries,
} from './saved-queries'

export function SavedQueries() {
  const [queries, setQueries] = useState(loadSavedQueries)
  const [error, setError] = useState<string>()
  const { query, variables } = useLink()
  const { view, setView } = useView()
  const open = useOpenQuery()

  const change = (changed: SavedQuery[]) => {
    storeSavedQueries(changed)
    setQueries(changed)
    setError(undefined)
  }
  const report = (error: unknown) => setError((error as Error).message)

  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = new FormData(event.currentTarget).get('name')?.toString().trim()
    if (!name) return
    try {
      change(mergeQueries(queries, [{ name, query, variables, view }]))
      event.currentTarget.reset()
    } catch (error) {
      report(error)
    }
  }
  const importFile = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const file = target.files?.[0]
    if (!file) return
    try {
      change(mergeQueries(queries, parseFile(await file.text())))
    } catch (error) {
      report(error)
    }
    target.value = ''
  }
  const show = (saved: SavedQuery) => {
    setView(saved.view)
    open?.(saved.query, saved.variables)
  }
  return (
    <div className="saved-queries">
      <form className="row" onSubmit={save}>
        <input name="name" aria-label="Name of the query" placeholder="Name" maxLength={100} required />
        <button type="submit" disabled={query.trim() === ''}>
          Save query
        </button>
      </form>
      {error && <p role="alert">{error}</p>}
      {queries.length === 0 && (
        <p className="soft">Saved queries stay in this browser. Export them to a file to share them.</p>
      )}
      <ul className="ready-queries">
        {queries.map(saved => (
          <li key={saved.name}>
            <button type="button" className="bare" disabled={!open} onClick={() => show(saved)}>
              <strong>{saved.name}</strong>
            </button>
            <button
              type="button"
              className="bare"
              aria-label={`Delete ${saved.name}`}
              title="Delete"
              onClick={() => change(queries.filter(({ name }) => name !== saved.name))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <div className="row saved-files">
        <button
          type="button"
          disabled={queries.length === 0}
          onClick={() => download('queries.json', 'application/json', formatFile(queries))}
        >
          Export
        </button>
        <label className="control">
          Import
          <input type="file" accept=".json,application/json" onChange={importFile} />
        </label>
      </div>
    </div>
  )
}
