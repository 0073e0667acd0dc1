/** The query and its variables. */
import { ExecuteButton, QueryEditor, useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import { useEffect } from 'react'
import { CopyButton } from '../copy-button'
import { Splitter } from '../layout/splitter'
import { useEditorTheme } from '../layout/theme'
import { VariablesPane } from '../variables/variables-pane'
import { useAddress, useLink } from './address'
import { formatLink, type Link } from './link'
import { QueryTabs } from './query-tabs'

const OPTIONS = {
  fontFamily: "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  fontSize: 14,
  renderFinalNewline: 'on' as const,
}

export function QueryPane({ opened }: { opened: Link | undefined }) {
  useEditorOptions()
  useEditorTheme()
  useAddress(opened)
  const link = formatLink(useLink())
  const { prettifyEditors } = useGraphiQLActions()
  return (
    <>
      <QueryTabs />
      <div id="query" role="tabpanel" aria-label="Query" className="query">
        <div className="row toolbar" role="toolbar" aria-label="Query">
          <ExecuteButton />
          <button type="button" onClick={() => prettifyEditors()}>
            Prettify
          </button>
          <CopyButton label="Copy link" text={`${location.origin}/explorer${link}`} />
        </div>
        <div className="graphiql-query-editor">
          <QueryEditor />
        </div>
        <Splitter label="Height of the query" property="--editor" initial={50} min={20} max={85} isHorizontal />
        <VariablesPane />
      </div>
    </>
  )
}

function useEditorOptions(): void {
  const queryEditor = useGraphiQL(state => state.queryEditor)
  const variableEditor = useGraphiQL(state => state.variableEditor)
  const responseEditor = useGraphiQL(state => state.responseEditor)
  useEffect(() => {
    for (const editor of [queryEditor, variableEditor, responseEditor]) editor?.updateOptions(OPTIONS)
  }, [queryEditor, variableEditor, responseEditor])
}
