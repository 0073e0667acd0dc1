/** GraphiQL as it comes, with a plugin that shows the last result as chart and table. */
import 'graphiql/style.css'
import { GraphiQL, HISTORY_PLUGIN } from 'graphiql'
import { TabFocus } from 'monaco-editor/esm/vs/editor/browser/config/tabFocus.js'
import { type ComponentProps, createContext, useContext } from 'react'
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

interface Properties extends LastResult {
  /** The query and variables to open. */
  opened: Pick<Result, 'query' | 'variables'>
  execute(request: GraphqlRequest): Promise<ResponseBody>
}

const ResultContext = createContext<LastResult | undefined>(undefined)

const RESULT = { title: 'Result', icon: () => <b aria-hidden="true">▥</b>, content: LastResultView }

const PLUGINS = [RESULT, HISTORY_PLUGIN]

export function Editors({ opened, execute, ...last }: Properties) {
  return (
    <ResultContext value={last}>
      <GraphiQL
        // Editors keep the theme with which they were made.
        key={String(useDark())}
        fetcher={execute as ComponentProps<typeof GraphiQL>['fetcher']}
        plugins={PLUGINS}
        visiblePlugin={RESULT}
        initialQuery={opened.query}
        initialVariables={JSON.stringify(opened.variables, null, 2)}
        defaultEditorToolsVisibility="variables"
        isHeadersEditorEnabled={false}
        showPersistHeadersSettings={false}
        forcedTheme="system"
      >
        <GraphiQL.Logo>{''}</GraphiQL.Logo>
      </GraphiQL>
    </ResultContext>
  )
}

function LastResultView() {
  const last = useContext(ResultContext)
  if (!last?.result) return <p>Run the query to see its result as chart and table.</p>
  return <ResultView {...last} result={last.result} />
}
