/** The list of ready queries. A click opens a query and runs it. */
import { useOpenQuery } from '../editor/open-query'
import { useSession } from '../scope-context'
import { READY_QUERIES } from './ready-queries'

export function ReadyQueries() {
  const { defaults } = useSession()
  const open = useOpenQuery()
  return (
    <ul className="ready-queries">
      {READY_QUERIES.map(({ title, description, query, variables }) => (
        <li key={title}>
          <button
            type="button"
            disabled={!open}
            onClick={() => open?.(query, variables ? JSON.stringify(variables(defaults), null, 2) : '')}
          >
            <strong>{title}</strong>
            <span>{description}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
