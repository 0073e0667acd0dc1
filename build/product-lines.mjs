/**
 * Prints how many lines the product has: all source code that git tracks, that of the build included, without generated files,
 * tests and the benchmark. A line wider than 120 characters counts as the lines it would fill. `npm run lines -- DEPTH` by folder.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const WIDTH = 120

const SOURCES = ['ts', 'tsx', 'js', 'cjs', 'mjs', 'graphql', 'sql', 'css', 'html', 'sh']

const LEFT_OUT = [/^(test|bench)\//, /^jest\.config\.js$/, /(^|\/)generated\.ts$/]

const patterns = SOURCES.map(extension => `*.${extension}`)
const tracked = execFileSync('git', ['ls-files', ...patterns], { encoding: 'utf8' })
const files = tracked.split('\n').filter(file => existsSync(file) && !LEFT_OUT.some(pattern => pattern.test(file)))
const depth = Number(process.argv[2] ?? 1)
const byFolder = new Map()
for (const file of files) {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  const count = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / WIDTH)), 0)
  const folder = file.split('/').slice(0, -1).slice(0, depth).join('/') || '.'
  const entry = byFolder.get(folder) ?? { files: 0, lines: 0 }
  byFolder.set(folder, { files: entry.files + 1, lines: entry.lines + count })
}
const total = { files: 0, lines: 0 }
for (const [folder, { files, lines }] of [...byFolder].sort(([, a], [, b]) => b.lines - a.lines)) {
  console.log(`${String(lines).padStart(6)}  ${String(files).padStart(4)} files  ${folder}`)
  total.files += files
  total.lines += lines
}
console.log(`${String(total.lines).padStart(6)}  ${String(total.files).padStart(4)} files  in all`)
