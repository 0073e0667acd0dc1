/** Configures Monaco: the locations of its workers, which the build bundles and defines as WORKERS, and the Tab key. */
import { TabFocus } from 'monaco-editor/esm/vs/editor/browser/config/tabFocus.js'

declare const WORKERS: { editor: string; json: string; graphql: string }

Object.assign(globalThis, {
  MonacoEnvironment: {
    getWorker: (_: string, label: string) =>
      new Worker(label === 'json' ? WORKERS.json : label === 'graphql' ? WORKERS.graphql : WORKERS.editor),
  },
})

// The Tab key leaves an editor, so that the page can be used with the keyboard alone.
TabFocus.setTabFocusMode(true)
