/** Bundles what browsers run. File names contain a hash of the content, so that browsers may cache them forever. */
import { join, relative } from 'node:path'
import { build } from 'esbuild'
import { PAGES, ROOT } from './paths.mjs'

/** @returns the paths of all files, and a function that finds that of an entry point and that of the styles it imports */
export async function bundle(folder, entryPoints, { define, ...options } = {}) {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir: join(PAGES, folder),
    publicPath: `/${folder}`,
    bundle: true,
    splitting: true,
    minify: true,
    metafile: true,
    format: 'esm',
    jsx: 'automatic',
    target: 'es2022',
    logLevel: 'warning',
    entryNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    loader: { '.ttf': 'file' },
    define: { 'process.env.NODE_ENV': '"production"', ...define },
    ...options,
  })
  const pathOf = file => file && `/${relative(PAGES, join(ROOT, file))}`
  const outputs = Object.entries(metafile.outputs)
  const find = entry => {
    const [file, { cssBundle }] = outputs.find(([, { entryPoint }]) => entryPoint?.endsWith(`/${entry}`))
    return { path: pathOf(file), style: pathOf(cssBundle) }
  }
  return { paths: outputs.map(([file]) => pathOf(file)), find }
}
