/**
 * Bundles the explorer for browsers into dist/pages/explorer. File names contain a hash of the content, so that browsers may
 * cache them forever.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { DIST, ROOT } from './paths.mjs'

const { resolve } = createRequire(import.meta.url)

const FOLDER = join(DIST, 'pages')

const COMMON = {
  absWorkingDir: ROOT,
  bundle: true,
  minify: true,
  metafile: true,
  target: 'es2022',
  logLevel: 'warning',
  entryNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  chunkNames: 'part-[hash]',
  loader: { '.ttf': 'file' },
  define: { 'process.env.NODE_ENV': '"production"' },
}

/** It is built last: is-current.cjs compares the age of its page with the sources. */
export async function bundleExplorer() {
  const sources = join(ROOT, 'web', 'explorer')
  const outdir = join(FOLDER, 'explorer')
  const common = { ...COMMON, outdir, publicPath: '/explorer' }
  const workers = {
    editor: resolve('monaco-editor/esm/vs/editor/editor.worker.js'),
    json: resolve('monaco-editor/esm/vs/language/json/json.worker.js'),
    graphql: resolve('monaco-graphql/esm/graphql.worker.js'),
  }
  const builtWorkers = await build({ ...common, entryPoints: Object.values(workers), format: 'iife' })
  const workerUrls = Object.entries(workers).map(([name, file]) => [
    name,
    `/explorer/${findOutput(builtWorkers, basename(file)).name}`,
  ])
  const builtPage = await build({
    ...common,
    // A style sheet that a script imports would contain those of all scripts that it loads later.
    entryPoints: ['page.tsx', 'graphiql.tsx', 'page.css'].map(file => join(sources, file)),
    format: 'esm',
    splitting: true,
    jsx: 'automatic',
    define: { ...common.define, WORKERS: JSON.stringify(Object.fromEntries(workerUrls)) },
  })
  const values = {
    script: findOutput(builtPage, 'explorer/page.tsx').name,
    style: findOutput(builtPage, 'page.css').name,
    graphiqlStyle: findOutput(builtPage, 'graphiql.tsx').style,
  }
  // The styles of the other scripts are in these two.
  const styles = Object.keys(builtPage.metafile.outputs).filter(name => name.endsWith('.css'))
  for (const file of styles) if (!Object.values(values).includes(basename(file))) rmSync(join(ROOT, file))
  const html = readFileSync(join(sources, 'page.html'), 'utf8')
  writeFileSync(
    join(FOLDER, 'explorer.html'),
    html.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]),
  )
}

/** The file name that an entry point was bundled into, and that of the styles which it imports. */
function findOutput({ metafile }, entry) {
  const outputs = Object.entries(metafile.outputs)
  const [name, { cssBundle }] = outputs.find(([, { entryPoint }]) => entryPoint?.endsWith(entry))
  return { name: basename(name), style: cssBundle && basename(cssBundle) }
}
