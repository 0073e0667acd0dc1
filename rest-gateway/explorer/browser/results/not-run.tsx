/** Says that the inputs have changed since a result, and leads to either of the two. */
import { useGraphiQLActions } from '@graphiql/react'
import { CopyButton } from '../copy-button'
import { formatLink } from '../editor/link'
import { areEqual, type Inputs } from './result'
import { useView } from './views'

export function NotRun({ inputs, shown }: { inputs: Inputs | undefined; shown: Inputs }) {
  const { run } = useGraphiQLActions()
  const { view } = useView()
  if (inputs && areEqual(inputs, shown)) return null
  const link = formatLink({ query: shown.query, variables: JSON.stringify(shown.variables, null, 2), view })
  return (
    <div className="notice">
      <span role="status">Not run yet: the query or its variables have changed since this result.</span>
      <button type="button" onClick={() => run()}>
        Run
      </button>
      <CopyButton label="Copy link to this result" text={`${location.origin}/explorer${link}`} />
    </div>
  )
}
