/** Bundles what browsers get into dist/bundles, a folder a page: all that it needs, under names that change with their content. */
const { readFileSync, rmSync, writeFileSync } = require('node:fs')
const { basename, join } = require('node:path')
const { build } = require('esbuild')

const ROOT = join(__dirname, '..', '..')
const OUT = join(ROOT, 'dist', 'bundles')

const common = {
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

/** What an entry point became. */
const outputOf = ({ metafile }, entry) => {
  const [name, { cssBundle }] = Object.entries(metafile.outputs).find(([, output]) =>
    output.entryPoint?.endsWith(entry),
  )
  return { script: basename(name), style: cssBundle && basename(cssBundle) }
}

async function bundleExplorer() {
  const out = { ...common, outdir: join(OUT, 'explorer'), publicPath: '/explorer' }
  const editors = {
    editor: require.resolve('monaco-editor/esm/vs/editor/editor.worker.js'),
    json: require.resolve('monaco-editor/esm/vs/language/json/json.worker.js'),
    graphql: require.resolve('monaco-graphql/esm/graphql.worker.js'),
  }
  const workers = await build({ ...out, entryPoints: Object.values(editors), format: 'iife' })
  const names = Object.entries(editors).map(([name, file]) => [
    name,
    `/explorer/${outputOf(workers, basename(file)).script}`,
  ])
  const page = await build({
    ...out,
    entryPoints: [join(ROOT, 'rest-gateway', 'explorer', 'browser', 'main.tsx')],
    format: 'esm',
    splitting: true,
    jsx: 'automatic',
    define: { ...out.define, WORKERS: JSON.stringify(Object.fromEntries(names)) },
  })
  const { script, style } = outputOf(page, 'main.tsx')
  const html = readFileSync(join(ROOT, 'rest-gateway', 'explorer', 'browser', 'page.html'), 'utf8')
  writeFileSync(join(OUT, 'explorer', 'page.html'), html.replace('{{script}}', script).replace('{{style}}', style))
}

/** The pages of the documents are made by the service; what they need is known by its kind. */
const bundleDocs = () =>
  build({
    ...common,
    outdir: join(OUT, 'docs'),
    entryPoints: [join(ROOT, 'rest-gateway', 'docs', 'browser', 'main.ts')],
    format: 'esm',
  })

rmSync(OUT, { recursive: true, force: true })
bundleExplorer()
bundleDocs()
