/** The result of the active tab, together with the request that produced it. Nothing of it is read from the editors. */
import { tryParseJSONC, useGraphiQL, useOperationsEditorState, useVariablesEditorState } from '@graphiql/react'
import { stripIgnoredCharacters } from 'graphql'
import { useContext, useMemo } from 'react'
import { type Run, RunsContext } from '../editor/runs'
import { findErrors, type ResponseBody, type ResponseError } from '../errors/response-errors'

interface Result {
  /** Undefined before the first run of the tab. */
  run: Run | undefined
  /** JSON; empty without a response. */
  response: string
  body: ResponseBody
  errors: ResponseError[]
}

/** A query and the values of its variables. */
export type Inputs = Pick<Run, 'query' | 'variables'>

export function useResult(): Result {
  const tab = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex])
  const run = useContext(RunsContext)[tab?.id ?? '']
  const response = tab?.response ?? ''
  return useMemo(() => {
    const body = parseBody(response)
    return { run, response, body, errors: findErrors(body) }
  }, [run, response])
}

/** Returns the present inputs of the editors; undefined while the variables are not JSON. */
export function useInputs(): Inputs | undefined {
  const [query] = useOperationsEditorState()
  const [text] = useVariablesEditorState()
  return useMemo(() => {
    try {
      return { query, variables: { ...tryParseJSONC(text) } }
    } catch {
      return undefined
    }
  }, [query, text])
}

/** Returns whether two inputs differ in more than their layout. */
export const areEqual = (a: Inputs, b: Inputs): boolean =>
  strip(a.query) === strip(b.query) && JSON.stringify(a.variables) === JSON.stringify(b.variables)

function strip(query: string): string {
  try {
    return stripIgnoredCharacters(query)
  } catch {
    return query
  }
}

function parseBody(response: string): ResponseBody {
  try {
    return { ...JSON.parse(response) }
  } catch {
    return {}
  }
}
