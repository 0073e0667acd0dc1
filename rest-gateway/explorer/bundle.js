/** Bundles the explorer into dist: everything that its page needs, under names that change with their content. */
const { readFileSync, rmSync, writeFileSync } = require('node:fs')
const { basename, join } = require('node:path')
const { build } = require('esbuild')

const OUT = join(__dirname, '..', '..', 'dist', 'rest-gateway', 'explorer')

const common = {
  absWorkingDir: join(__dirname, '..', '..'),
  outdir: OUT,
  bundle: true,
  minify: true,
  metafile: true,
  target: 'es2022',
  logLevel: 'warning',
  entryNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  chunkNames: 'part-[hash]',
  publicPath: '/explorer',
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

async function bundle() {
  rmSync(OUT, { recursive: true, force: true })
  const editors = {
    editor: require.resolve('monaco-editor/esm/vs/editor/editor.worker.js'),
    json: require.resolve('monaco-editor/esm/vs/language/json/json.worker.js'),
    graphql: require.resolve('monaco-graphql/esm/graphql.worker.js'),
  }
  const workers = await build({ ...common, entryPoints: Object.values(editors), format: 'iife' })
  const names = Object.entries(editors).map(([name, file]) => [
    name,
    `/explorer/${outputOf(workers, basename(file)).script}`,
  ])
  const page = await build({
    ...common,
    entryPoints: [join(__dirname, 'main.tsx')],
    format: 'esm',
    splitting: true,
    jsx: 'automatic',
    define: { ...common.define, WORKERS: JSON.stringify(Object.fromEntries(names)) },
  })
  const { script, style } = outputOf(page, 'main.tsx')
  const html = readFileSync(join(__dirname, 'page.html'), 'utf8')
  writeFileSync(join(OUT, 'page.html'), html.replace('{{script}}', script).replace('{{style}}', style))
}

bundle()
