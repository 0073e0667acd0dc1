/** Where the editors' workers are: bundled beside this page. */

declare const WORKERS: { editor: string; json: string; graphql: string }

Object.assign(globalThis, {
  MonacoEnvironment: {
    getWorker: (_: string, label: string) =>
      new Worker(label === 'json' ? WORKERS.json : label === 'graphql' ? WORKERS.graphql : WORKERS.editor),
  },
})
