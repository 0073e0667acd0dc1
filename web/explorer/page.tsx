/** The page of the explorer: the form for the key, then the questions or GraphiQL. */
import { lazy, StrictMode, Suspense, useCallback, useEffect, useMemo, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { type Address, formatAddress, parseAddress } from './address'
import { removeKey, storedKey, storeKey } from './api-key'
import { Form } from './form'
import { KeyForm } from './key-form'
import { findQuestion, GROUPS, QUESTIONS } from './questions'
import type { Question } from './questions/question'
import { execute, type GraphqlRequest, RequestError, readScope, type Scope } from './request'
import { type Result, ResultView } from './result'
import { firstVariables, type Variables } from './variables'

interface Session {
  apiKey: string
  scope: Scope
}

function Page() {
  const [session, setSession] = useState<Session>()
  const [error, setError] = useState<string>()
  const [link, setLink] = useState(location.hash)
  const [isBusy, setBusy] = useState(storedKey() !== null)
  const open = async (key: string) => {
    setBusy(true)
    try {
      setError(undefined)
      let isFirst = true
      for await (const scope of readScope(key)) {
        // The reader may have closed the session while more assets were read.
        if (!isFirst && storedKey() !== key) return
        isFirst = false
        storeKey(key)
        setSession({ apiKey: key, scope })
      }
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
    addEventListener('hashchange', () => setLink(location.hash))
  }, [])
  if (!session) return <KeyForm error={error} busy={isBusy} onKey={open} />
  return <Explorer key={link} {...session} failure={error} onClose={close} />
}

const NotLoaded = () => <p role="alert">This part of the page could not be loaded. Reload the page to try again.</p>

/** GraphiQL is larger than the rest of the page, and is loaded when it is opened. */
const Editors = lazy(() =>
  import('./graphiql').then(
    ({ Editors }) => {
      // Its styles were loaded for no medium, so that they do not delay the page.
      for (const link of document.querySelectorAll<HTMLLinkElement>('link[media="not all"]')) link.media = 'all'
      return { default: Editors }
    },
    () => ({ default: NotLoaded }),
  ),
)

/** Returns the values of the variables that a query has. */
const usedVariables = (query: string, variables: Variables): Variables =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => new RegExp(`\\$${name}\\b`).test(query)))

interface Asked {
  question: Question
  variables: Variables
}

/** Returns the question of an address, or the first one, with its first values where the address has none. */
function readAsked({ question: id, variables: given }: Address, scope: Scope): Asked {
  const question = findQuestion(id) ?? QUESTIONS[0]!
  const first = firstVariables(question, scope)
  return { question, variables: { ...first, ...usedVariables(question.query, given) } }
}

/** The query that GraphiQL opens; none while questions are shown. */
const readOpened = ({ query, variables }: Address) => (query === undefined ? undefined : { query, variables })

/** Changes that follow one another as fast as this are asked once. */
const DELAY_MS = 150

function Explorer({ apiKey, scope, failure, onClose }: Session & { failure: string | undefined; onClose(): void }) {
  const [asked, setAsked] = useState(() => readAsked(parseAddress(location.hash), scope))
  const [opened, setOpened] = useState(() => readOpened(parseAddress(location.hash)))
  const [result, setResult] = useState<Result>()
  const [isRunning, setRunning] = useState(false)
  const [isListOpen, openList] = useState(false)
  const names = useMemo(() => new Map(scope.assets.map(({ id, name }) => [id, name])), [scope.assets])
  const { question, variables } = asked
  const isQuestion = opened === undefined

  useEffect(() => {
    if (!isQuestion) return
    const controller = new AbortController()
    const { query } = question
    setRunning(true)
    const timer = setTimeout(async () => {
      const { body: response } = await execute(apiKey, { query, variables }, controller.signal)
      if (controller.signal.aborted) return
      setResult({ query, variables, response })
      setRunning(false)
    }, DELAY_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [apiKey, question, variables, isQuestion])

  const fragment = formatAddress(isQuestion ? { question: question.id, variables } : (result ?? opened))
  useEffect(() => history.replaceState(null, '', fragment), [fragment])

  const ask = (next: Question, given: Variables) => {
    openList(false)
    setOpened(undefined)
    // The answer to another question is not shown below this one.
    if (next !== question) setResult(undefined)
    setAsked(readAsked({ question: next.id, variables: given }, scope))
  }
  // Another question is asked about the same asset and days.
  const { asset, from, to } = variables
  const about = asset ? { asset, from, to } : {}
  // GraphiQL reads the schema again when it is given another function.
  const executeWritten = useCallback(
    async (request: GraphqlRequest) => {
      const { query, variables = {}, operationName } = request
      // For a moment after a query was replaced, GraphiQL sends the name of the operation before.
      const isNamed = operationName && query.includes(operationName)
      const { body: response } = await execute(apiKey, { query, variables, ...(isNamed && { operationName }) })
      const result = { query, variables: usedVariables(query, variables), response }
      if (operationName !== 'IntrospectionQuery') setResult(result)
      return response
    },
    [apiKey],
  )
  const shown = { names, measured: scope.measured }
  return (
    <div className="explorer">
      <header className="row bar">
        <h1>Explorer</h1>
        <span className="cut soft">Data of {scope.companies.toSorted().join(', ') || 'no company'}</span>
        <nav className="row views" aria-label="Views">
          <button type="button" aria-pressed={isQuestion} onClick={() => setOpened(undefined)}>
            Questions
          </button>
          <button
            type="button"
            aria-pressed={!isQuestion}
            onClick={() => setOpened(opened ?? { query: question.query, variables })}
          >
            GraphiQL
          </button>
        </nav>
        <a href="/docs/analysts">Documentation</a>
        <button type="button" onClick={onClose}>
          Change key
        </button>
      </header>
      {failure && <p role="alert">{failure}</p>}
      {opened ? (
        <main className="editors" aria-label="GraphiQL">
          <Suspense fallback={<p>Loading …</p>}>
            <Editors key={opened.query} {...shown} opened={opened} result={result} execute={executeWritten} />
          </Suspense>
        </main>
      ) : (
        <div className="questions">
          <nav aria-label="Questions" data-open={isListOpen || undefined}>
            <button type="button" aria-expanded={isListOpen} onClick={() => openList(!isListOpen)}>
              All questions
            </button>
            {Object.entries(GROUPS).map(([group, questions]) => (
              <section key={group}>
                <h2>{group}</h2>
                <ul>
                  {questions.map(each => (
                    <li key={each.id}>
                      <button
                        type="button"
                        aria-current={each === question || undefined}
                        onClick={() => ask(each, each.fields.includes('asset') ? about : {})}
                      >
                        {each.title}
                      </button>
                    </li>
                  ))}
                </ul>
              </section>
            ))}
          </nav>
          <main aria-busy={isRunning}>
            <hgroup>
              <h2>{question.title}</h2>
              <p className="soft">{question.text}</p>
            </hgroup>
            <Form
              key={question.id}
              question={question}
              scope={scope}
              variables={variables}
              onChange={changed => setAsked({ question, variables: changed })}
            />
            {result ? (
              <ResultView key={result.query} {...shown} result={result} />
            ) : (
              <p role="status">The answer is being read …</p>
            )}
          </main>
        </div>
      )}
    </div>
  )
}

createRoot(document.getElementById('explorer')!).render(
  <StrictMode>
    <Page />
  </StrictMode>,
)
