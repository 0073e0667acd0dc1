/** GraphiQL as it comes, with a plugin that shows the last result as chart and table. */
import 'graphiql/style.css'
import { type GraphiQLPlugin, useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import { GraphiQL, HISTORY_PLUGIN } from 'graphiql'
import { TabFocus } from 'monaco-editor/esm/vs/editor/browser/config/tabFocus.js'
import { type ComponentProps, createContext, useContext, useEffect } from 'react'
import type { GraphqlRequest, ResponseBody } from './request'
import { type Result, ResultView } from './result'
import { useDark } from './theme'

/** The files of Monaco's workers, which the build bundles. */
declare const WORKERS: { editor: string; json: string; graphql: string }

Object.assign(globalThis, {
  MonacoEnvironment: {
    getWorker: (_: string, label: string) =>
      new Worker(label === 'json' ? WORKERS.json : label === 'graphql' ? WORKERS.graphql : WORKERS.editor),
  },
})

// The Tab key leaves an editor, so that the page can be used with the keyboard alone.
TabFocus.setTabFocusMode(true)

type LastResult = Omit<ComponentProps<typeof ResultView>, 'result'> & { result: Result | undefined }

type Fetcher = ComponentProps<typeof GraphiQL>['fetcher']

interface Properties extends LastResult {
  /** The query and variables to open. */
  opened: Pick<Result, 'query' | 'variables'>
  execute(request: GraphqlRequest): Promise<ResponseBody>
}

const ResultContext = createContext<LastResult | undefined>(undefined)

const RESULT: GraphiQLPlugin = { title: 'Result', icon: ChartIcon, content: LastResultView }

const PLUGINS = [RESULT, HISTORY_PLUGIN]

export function Editors({ opened, execute, ...last }: Properties) {
  const isDark = useDark()
  return (
    <ResultContext value={last}>
      <GraphiQL
        fetcher={execute as Fetcher}
        plugins={PLUGINS}
        visiblePlugin={RESULT}
        initialQuery={opened.query}
        initialVariables={JSON.stringify(opened.variables, null, 2)}
        defaultEditorToolsVisibility="variables"
        isHeadersEditorEnabled={false}
        showPersistHeadersSettings={false}
        forcedTheme={isDark ? 'dark' : 'light'}
      >
        <GraphiQL.Logo>{''}</GraphiQL.Logo>
        <FirstResponse opened={opened} result={last.result} />
      </GraphiQL>
    </ResultContext>
  )
}

function LastResultView() {
  const last = useContext(ResultContext)
  if (!last?.result) return <p>Run the query to see its result as chart and table.</p>
  return <ResultView {...last} result={last.result} />
}

/** Puts the response of a question beside its query, so that nothing is asked twice. */
function FirstResponse({ opened, result }: Pick<Properties, 'opened' | 'result'>) {
  const editor = useGraphiQL(state => state.responseEditor)
  const { updateActiveTabValues } = useGraphiQLActions()
  useEffect(() => {
    if (!editor || !result || result.query !== opened.query || editor.getValue() !== '') return
    const response = JSON.stringify(result.response, null, 2)
    editor.setValue(response)
    updateActiveTabValues({ response })
  }, [editor, opened, result, updateActiveTabValues])
  return null
}

function ChartIcon() {
  return (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
      <path d="M4 20V4M4 20h16M8 16v-4M12 16V8M16 16v-6" />
    </svg>
  )
}
