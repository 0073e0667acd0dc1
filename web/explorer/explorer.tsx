/** The questions with their answers, and GraphiQL with the query of the question. */
import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { Form } from './form/form'
import { filterOf, variablesOf } from './form/variables'
import { GROUPS } from './questions'
import type { Question } from './questions/question'
import type { Scope } from './request'
import { ResultView } from './result/result'
import { linkTo, useAnswer, useQuestion } from './use-question'

export interface Session {
  apiKey: string
  scope: Scope
}

interface Properties extends Session {
  onClose(): void
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

export function Explorer({ apiKey, scope, onClose }: Properties) {
  const [isEditing, edit] = useState(false)
  const { question, variables, change } = useQuestion(scope, () => edit(false))
  const answer = useAnswer(apiKey, question, variables)
  const names = useMemo(() => new Map(scope.assets.map(({ id, name }) => [id, name])), [scope.assets])
  const asset = question.fields.includes('asset') ? variables.asset : filterOf(variables).id?.[0]
  const title = [question.title, asset && (names.get(String(asset)) ?? asset), 'Explorer'].filter(Boolean).join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
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
      {isEditing ? (
        <main className="editors" aria-label="GraphiQL">
          <Suspense fallback={<p>Loading …</p>}>
            <Editors apiKey={apiKey} query={question.query} variables={variablesOf(question, variables)} />
          </Suspense>
        </main>
      ) : (
        <div className="questions">
          <QuestionList current={question} hrefOf={each => linkTo(each, variables)} />
          <main aria-busy={answer?.variables !== variables}>
            <hgroup>
              <h2>{question.title}</h2>
              <p className="soft">{question.text}</p>
            </hgroup>
            <Form key={question.id} {...{ question, scope, variables, onChange: change }} />
            {answer?.question === question ? (
              <ResultView key={question.title} answer={answer} names={names} measured={scope.measured} />
            ) : (
              <p role="status">The answer is being read …</p>
            )}
          </main>
        </div>
      )}
    </div>
  )
}

/** On a phone, the list is open only while a question is chosen. */
function QuestionList({ current, hrefOf }: { current: Question; hrefOf(question: Question): string }) {
  const [isOpen, open] = useState(false)
  return (
    <nav aria-label="Questions" data-open={isOpen || undefined}>
      <button type="button" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
        All questions
      </button>
      {Object.entries(GROUPS).map(([group, questions]) => (
        <section key={group}>
          <h2>{group}</h2>
          <ul>
            {questions.map(each => (
              <li key={each.id}>
                <a href={hrefOf(each)} aria-current={each === current || undefined} onClick={() => open(false)}>
                  {each.title}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}
