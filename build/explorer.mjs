/** Builds the explorer into dist/pages/explorer, and its page. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { bundle } from './bundle.mjs'
import { PAGES, ROOT } from './paths.mjs'

const { resolve } = createRequire(import.meta.url)

const WORKERS = {
  editor: resolve('monaco-editor/esm/vs/editor/editor.worker.js'),
  json: resolve('monaco-editor/esm/vs/language/json/json.worker.js'),
  graphql: resolve('monaco-graphql/esm/graphql.worker.js'),
}

/** It is built last: is-current.cjs compares the age of its page with the sources. */
export async function buildExplorer() {
  const workers = await bundle('explorer', Object.values(WORKERS), { format: 'iife', splitting: false })
  const urls = Object.entries(WORKERS).map(([name, file]) => [name, workers.find(basename(file)).path])
  const sources = join(ROOT, 'web', 'explorer')
  // A style sheet that a script imports would contain those of all scripts that it loads later.
  const entryPoints = ['page.tsx', 'graphiql.tsx', 'page.css'].map(file => join(sources, file))
  const { paths, find } = await bundle('explorer', entryPoints, {
    define: { WORKERS: JSON.stringify(Object.fromEntries(urls)) },
  })
  const values = {
    script: find('page.tsx').path,
    style: find('page.css').path,
    graphiqlStyle: find('graphiql.tsx').style,
  }
  // The styles of the other scripts are in these two.
  for (const path of paths)
    if (path.endsWith('.css') && !Object.values(values).includes(path)) rmSync(join(PAGES, path))
  const html = readFileSync(join(sources, 'page.html'), 'utf8')
  writeFileSync(
    join(PAGES, 'explorer.html'),
    html.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]),
  )
}
