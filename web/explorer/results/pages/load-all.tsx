/** Offers to read all pages of a list that has more than the result. */
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Run } from '../../editor/runs'
import type { ResponseBody } from '../../errors/response-errors'
import { readData } from '../../graphql-client'
import { useSession } from '../../scope-context'
import { CURSOR, findPagedQuery, readAllPages } from './all-pages'

export function LoadAll({ run, body }: { run: Run; body: ResponseBody }) {
  const { apiKey } = useSession()
  const responseEditor = useGraphiQL(state => state.responseEditor)
  const { updateActiveTabValues } = useGraphiQLActions()
  const [count, setCount] = useState<number>()
  const [error, setError] = useState<string>()
  const running = useRef<AbortController>(null)
  const paged = useMemo(() => findPagedQuery(run.query, body.data), [run, body])
  // Another result, or another tab, ends the reading.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the result is that which must not change
  useEffect(() => () => running.current?.abort(), [run, body])

  if (!paged) return null
  const load = async () => {
    const controller = new AbortController()
    running.current = controller
    setCount(0)
    setError(undefined)
    try {
      const readPage = async (page: string, cursor: unknown) => {
        controller.signal.throwIfAborted()
        return readData(apiKey, { query: page, variables: { ...run.variables, [CURSOR]: cursor } })
      }
      const complete = await readAllPages(paged, body.data as Record<string, unknown>, readPage, setCount)
      controller.signal.throwIfAborted()
      const response = JSON.stringify({ ...body, data: complete }, null, 2)
      responseEditor?.setValue(response)
      updateActiveTabValues({ response })
    } catch (error) {
      if (!controller.signal.aborted) setError((error as Error).message)
    }
    setCount(undefined)
  }
  return (
    <div className="row strip soft">
      {count === undefined ? (
        <>
          <span>This is one page of the list.</span>
          <button type="button" onClick={load}>
            Load all pages
          </button>
        </>
      ) : (
        <>
          <span role="status">{count} read …</span>
          <button type="button" onClick={() => running.current?.abort()}>
            Cancel
          </button>
        </>
      )}
      {error && <span role="alert">{error}</span>}
    </div>
  )
}
