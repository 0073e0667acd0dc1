/** The page of the explorer: the form for the key, then the questions or GraphiQL. */
import { lazy, StrictMode, Suspense, useEffect, useMemo, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { type Address, formatAddress, parseAddress } from './address'
import { Form } from './form'
import { KeyForm, removeKey, storedKey, storeKey } from './key-form'
import { findQuestion, GROUPS, QUESTIONS } from './questions'
import type { Question } from './questions/question'
import { execute, RequestError, readScope, type Scope } from './request'
import { type Answer, ResultView } from './result'
import { filterOf, firstVariables, follow, type Variables, variablesOf } from './variables'

interface Session {
  apiKey: string
  scope: Scope
}

function Page() {
  const [session, setSession] = useState<Session>()
  const [error, setError] = useState<string>()
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
  }, [])
  if (!session) return <KeyForm error={error} busy={isBusy} onKey={open} />
  return <Explorer {...session} failure={error} onClose={close} />
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
  /** The id of the address, if no question has it. */
  unknown?: string | undefined
}

/** Returns the question of an address, or the first one, with its first values where the address has none. */
function readAsked({ question: id, variables: given }: Address, scope: Scope): Asked {
  const question = findQuestion(id) ?? QUESTIONS[0]!
  const filter = 'filter' in given && { filter: filterOf(given) }
  const first = { ...firstVariables(question, scope), ...variablesOf(question, given) }
  const variables = { ...first, ...(!('before' in given) && variablesOf(question, follow(first))), ...filter }
  return { question, variables, unknown: id === question.id ? undefined : id }
}

function Explorer({ apiKey, scope, failure, onClose }: Session & { failure: string | undefined; onClose(): void }) {
  const [asked, setAsked] = useState(() => readAsked(parseAddress(location.hash), scope))
  const [isEditing, edit] = useState(false)
  const [answer, setAnswer] = useState<Answer>()
  const [isListOpen, openList] = useState(false)
  const names = useMemo(() => new Map(scope.assets.map(({ id, name }) => [id, name])), [scope.assets])
  const { question, variables, unknown } = asked

  useEffect(() => {
    const controller = new AbortController()
    const request = { query: question.query, variables: variablesOf(question, variables) }
    execute(apiKey, request, controller.signal).then(({ body: response }) => {
      if (!controller.signal.aborted) setAnswer({ question, variables, response })
    })
    return () => controller.abort()
  }, [apiKey, question, variables])

  // Links, and steps back and forward, change the address; each change of a value is a step.
  useEffect(() => {
    const read = () => {
      openList(false)
      edit(false)
      setAsked(readAsked(parseAddress(location.hash), scope))
    }
    addEventListener('popstate', read)
    return () => removeEventListener('popstate', read)
  }, [scope])
  const fragment = formatAddress({ question: question.id, variables })
  useEffect(() => history.replaceState(null, '', fragment), [fragment])
  const change = (changed: Variables) => {
    history.pushState(null, '', formatAddress({ question: question.id, variables: changed }))
    setAsked({ question, variables: changed })
  }

  const asset = question.fields.includes('asset') ? variables.asset : filterOf(variables).id?.[0]
  const title = [question.title, asset && (names.get(String(asset)) ?? asset), 'Explorer'].filter(Boolean).join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])

  // Another question is asked about the same assets, and one about an asset on the same days.
  const linkTo = ({ id, fields }: Question) => {
    const { from, to, filter } = variables
    const days = fields.includes('before') ? {} : { from, to }
    const about = fields.includes('asset') && variables.asset ? { asset, ...days } : {}
    const hasFilter = Object.keys(filterOf(variables)).length > 0
    return formatAddress({ question: id, variables: { ...about, ...(hasFilter && { filter }) } })
  }
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
            <Editors apiKey={apiKey} query={question.query} variables={variablesOf(question, variables)} />
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
                      <a
                        href={linkTo(each)}
                        aria-current={each === question || undefined}
                        onClick={() => openList(false)}
                      >
                        {each.title}
                      </a>
                    </li>
                  ))}
                </ul>
              </section>
            ))}
          </nav>
          <main aria-busy={answer?.variables !== variables}>
            <hgroup>
              <h2>{question.title}</h2>
              <p className="soft">{question.text}</p>
            </hgroup>
            {unknown && <p role="alert">There is no question “{unknown}”: this is the first one.</p>}
            <Form key={question.id} {...{ question, scope, variables, onChange: change }} />
            {answer?.question === question ? (
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
