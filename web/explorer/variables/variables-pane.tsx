/** The variables of the query, as a form or as JSON. Both show the same values. */
import { useGraphiQL, useGraphiQLActions, VariableEditor } from '@graphiql/react'
import { useMemo, useState } from 'react'
import { Tabs } from '../tabs'
import { DateRange } from './date-range'
import { describeVariables, type Variable } from './describe-variables'
import { VariableField } from './variable-field'

const MODES = ['Form', 'As JSON']

export function VariablesPane() {
  const [mode, setMode] = useState(0)
  return (
    <section className="column" aria-label="Variables">
      <div className="row variables-bar">
        <h2>Variables</h2>
        <Tabs names={MODES} selected={mode} controls="variables" label="Form of the variables" onSelect={setMode} />
      </div>
      <div id="variables" role="tabpanel" aria-label={MODES[mode]} className="column variables-view">
        {mode === 0 && <VariableForm />}
        <div className="variable-editor" hidden={mode !== 1}>
          <VariableEditor />
        </div>
      </div>
    </section>
  )
}

function VariableForm() {
  const schema = useGraphiQL(state => state.schema)
  const tab = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex])
  const variableEditor = useGraphiQL(state => state.variableEditor)
  const { updateActiveTabValues, stop, run } = useGraphiQLActions()
  const query = tab?.query ?? ''
  const variables = useMemo(() => (schema ? describeVariables(schema, query) : undefined), [schema, query])
  const values = useMemo(() => parseValues(tab?.variables ?? ''), [tab?.variables])

  if (!variables) return <p>{schema ? 'The query is not complete.' : 'The schema is being read.'}</p>
  if (variables.length === 0) return <p>This query has no variables.</p>
  if (!values) return <p>The variables are not valid JSON.</p>
  const change = (changed: Record<string, unknown>) => {
    const text = JSON.stringify({ ...values, ...changed }, null, 2)
    variableEditor?.setValue(text)
    updateActiveTabValues({ variables: text })
  }
  const text = (name: string) => String(values[name] ?? '')
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        stop()
        run()
      }}
    >
      {variables.map((variable, i) => {
        const next = findEnd(variables, i)
        const isEnd = i > 0 && findEnd(variables, i - 1) === variable
        if (isEnd) return null
        if (next)
          return (
            <DateRange
              key={variable.name}
              names={{ from: variable.name, to: next.name }}
              values={{ from: text(variable.name), to: text(next.name) }}
              onChange={({ from, to }) => change({ [variable.name]: from, [next.name]: to })}
            />
          )
        return (
          <VariableField
            key={variable.name}
            variable={variable}
            value={values[variable.name]}
            onChange={value => change({ [variable.name]: value })}
          />
        )
      })}
      <button type="submit">Run with these values</button>
    </form>
  )
}

/** Returns the end of the range that a variable begins: the next variable, if the two are used as `fromDate` and `toDate`. */
function findEnd(variables: Variable[], index: number): Variable | undefined {
  const next = variables[index + 1]
  return variables[index]?.usedAs === 'fromDate' && next?.usedAs === 'toDate' ? next : undefined
}

/** Undefined if the text is not an object. */
function parseValues(text: string): Record<string, unknown> | undefined {
  try {
    const values = text.trim() === '' ? {} : JSON.parse(text)
    return typeof values === 'object' && values !== null && !Array.isArray(values) ? values : undefined
  } catch {
    return undefined
  }
}
