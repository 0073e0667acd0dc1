/** The question with its variables, which the address of the page holds, and its answer. */
import { useEffect, useState } from 'react'
import { type Address, formatAddress, parseAddress } from './address'
import { filterOf, firstVariables, follow, type Variables, variablesOf } from './form/variables'
import { findQuestion, QUESTIONS } from './questions'
import type { Question } from './questions/question'
import { execute, type Scope } from './request'
import type { Answer } from './result/result'

interface Chosen {
  question: Question
  variables: Variables
}

/** Returns the question of an address, or the first one, with its first values where the address has none. */
function readChosen({ question: id, variables: given }: Address, scope: Scope): Chosen {
  const question = findQuestion(id) ?? QUESTIONS[0]!
  const filter = 'filter' in given && { filter: filterOf(given) }
  const first = { ...firstVariables(question, scope, given), ...variablesOf(question, given) }
  const variables = { ...first, ...(!('before' in given) && variablesOf(question, follow(first))), ...filter }
  return { question, variables }
}

/** @param onMove called when a link, or a step back or forward, has changed the address */
export function useQuestion(scope: Scope, onMove: () => void): Chosen & { change(variables: Variables): void } {
  const [{ question, variables }, setChosen] = useState(() => readChosen(parseAddress(location.hash), scope))
  useEffect(() => {
    const read = () => {
      onMove()
      setChosen(readChosen(parseAddress(location.hash), scope))
    }
    addEventListener('popstate', read)
    return () => removeEventListener('popstate', read)
  }, [scope, onMove])
  const fragment = formatAddress({ question: question.id, variables })
  useEffect(() => history.replaceState(null, '', fragment), [fragment])
  // Each change of a value is a step.
  const change = (changed: Variables) => {
    history.pushState(null, '', formatAddress({ question: question.id, variables: changed }))
    setChosen({ question, variables: changed })
  }
  return { question, variables, change }
}

/** Returns the last answer, which may be that to the question or the variables before. */
export function useAnswer(apiKey: string, question: Question, variables: Variables): Answer | undefined {
  const [answer, setAnswer] = useState<Answer>()
  useEffect(() => {
    const controller = new AbortController()
    const request = { query: question.query, variables: variablesOf(question, variables) }
    execute(apiKey, request, controller.signal).then(({ body: response }) => {
      if (!controller.signal.aborted) setAnswer({ question, variables, response })
    })
    return () => controller.abort()
  }, [apiKey, question, variables])
  return answer
}

/** Returns the address of another question: about the same assets, and about one asset on the same days. */
export function linkTo({ id, fields }: Question, variables: Variables): string {
  const { asset, from, to, filter } = variables
  const days = fields.includes('before') ? {} : { from, to }
  const about = fields.includes('asset') && asset ? { asset, ...days } : {}
  const hasFilter = Object.keys(filterOf(variables)).length > 0
  return formatAddress({ question: id, variables: { ...about, ...(hasFilter && { filter }) } })
}
