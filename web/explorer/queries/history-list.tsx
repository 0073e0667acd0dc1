/** The queries that ran in this browser, the latest first. */
import { useHistory, useHistoryActions } from '@graphiql/plugin-history'
import { useOpenQuery } from '../editor/open-query'

const MAX_TEXT = 80

export function HistoryList() {
  const items = [...useHistory()].reverse()
  const { deleteFromHistory } = useHistoryActions()
  const open = useOpenQuery()
  const clear = () => {
    for (const item of items) deleteFromHistory(item)
  }
  if (items.length === 0) return <p className="soft">Queries that you run are listed here, in this browser only.</p>
  return (
    <>
      <ul className="ready-queries">
        {items.map(({ query = '', variables = '', operationName }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same query can be listed with other variables
          <li key={i}>
            <button type="button" className="bare" disabled={!open} onClick={() => open?.(query, variables)}>
              <strong>{operationName || shorten(query)}</strong>
              <span className="soft">{shorten(variables)}</span>
            </button>
          </li>
        ))}
      </ul>
      <button type="button" onClick={clear}>
        Clear history
      </button>
    </>
  )
}

/** Returns the beginning of a text in one line. */
function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line
}
