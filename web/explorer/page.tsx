/** The page of the explorer: the form for the key, then the questions or GraphiQL. */
import { lazy, StrictMode, Suspense, useEffect, useMemo, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { type Address, formatAddress, parseAddress } from './address'
import { removeKey, storedKey, storeKey } from './api-key'
import { Form } from './form'
import { KeyForm } from './key-form'
import { findQuestion, GROUPS, QUESTIONS } from './questions'
import type { Question } from './questions/question'
import { execute, RequestError, readScope, type Scope } from './request'
import { type Answer, ResultView } from './result'
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

interface Asked {
  question: Question
  variables: Variables
}

/** Returns the question of an address, or the first one, with its first values where the address has none. */
function readAsked({ question: id, variables: given }: Address, scope: Scope): Asked {
  const question = findQuestion(id) ?? QUESTIONS[0]!
  const first = firstVariables(question, scope)
  const known = Object.entries(given).filter(([name]) => new RegExp(`\\$${name}\\b`).test(question.query))
  return { question, variables: { ...first, ...Object.fromEntries(known) } }
}

/** Changes that follow one another as fast as this are asked once. */
const DELAY_MS = 150

function Explorer({ apiKey, scope, failure, onClose }: Session & { failure: string | undefined; onClose(): void }) {
  const [asked, setAsked] = useState(() => readAsked(parseAddress(location.hash), scope))
  const [isEditing, edit] = useState(false)
  const [answer, setAnswer] = useState<Answer>()
  const [isRunning, setRunning] = useState(false)
  const [isListOpen, openList] = useState(false)
  const names = useMemo(() => new Map(scope.assets.map(({ id, name }) => [id, name])), [scope.assets])
  const { question, variables } = asked

  useEffect(() => {
    const controller = new AbortController()
    setRunning(true)
    const timer = setTimeout(async () => {
      const { body: response } = await execute(apiKey, { query: question.query, variables }, controller.signal)
      if (controller.signal.aborted) return
      setAnswer({ question, variables, response })
      setRunning(false)
    }, DELAY_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [apiKey, question, variables])

  const fragment = formatAddress({ question: question.id, variables })
  useEffect(() => history.replaceState(null, '', fragment), [fragment])

  const ask = (next: Question, given: Variables) => {
    openList(false)
    // The answer to another question is not shown below this one.
    if (next !== question) setAnswer(undefined)
    setAsked(readAsked({ question: next.id, variables: given }, scope))
  }
  // Another question is asked about the same asset and days.
  const { asset, from, to } = variables
  const about = asset ? { asset, from, to } : {}
  return (
    <div className="explorer">
      <header className="row bar">
        <h1>Explorer</h1>
        <span className="cut soft">Data of {scope.companies.toSorted().join(', ') || 'no company'}</span>
        <nav className="row views" aria-label="Views">
          <button type="button" aria-pressed={!isEditing} onClick={() => edit(false)}>
            Questions
          </button>
          <button type="button" aria-pressed={isEditing} onClick={() => edit(true)}>
            GraphiQL
          </button>
        </nav>
        <a href="/docs/clients#graphql">Documentation</a>
        <button type="button" onClick={onClose}>
          Change key
        </button>
      </header>
      {failure && <p role="alert">{failure}</p>}
      {isEditing ? (
        <main className="editors" aria-label="GraphiQL">
          <Suspense fallback={<p>Loading …</p>}>
            <Editors apiKey={apiKey} query={question.query} variables={variables} />
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
            {answer ? (
              <ResultView key={answer.question.title} answer={answer} names={names} measured={scope.measured} />
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
