/** Errors with links to their cause and remedy. An error that many fields have is listed once. */
import type { ResponseError } from './response-errors'

const MAX_SHOWN = 5

interface Properties {
  errors: ResponseError[]
  /** A sentence before the errors. */
  introduction?: string | undefined
}

export function ErrorList({ errors, introduction }: Properties) {
  if (errors.length === 0) return null
  const groups = new Map<string, { first: ResponseError; count: number }>()
  for (const error of errors) {
    const key = `${error.code} ${error.message}`
    const { first = error, count = 0 } = groups.get(key) ?? {}
    groups.set(key, { first, count: count + 1 })
  }
  return (
    <div className="strip errors" role="alert">
      {introduction && <p>{introduction}</p>}
      <ul>
        {[...groups].slice(0, MAX_SHOWN).map(([key, { first, count }]) => (
          <li key={key}>
            {first.code && (
              <a href={`/docs/errors#${first.code}`} target="_blank" rel="noreferrer">
                {first.code}
              </a>
            )}{' '}
            {first.message}{' '}
            {first.path && <small>{count > 1 ? `${first.path} and ${count - 1} more fields` : first.path}</small>}
          </li>
        ))}
      </ul>
      {groups.size > MAX_SHOWN && <p>{groups.size - MAX_SHOWN} more are in the response: see JSON.</p>}
    </div>
  )
}
