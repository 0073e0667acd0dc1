/**
 * `npm run test:mutants [TEXT]`: shows that the tests detect wrong code. Each mutant of this folder is one wrong edit of the product, which
 * its test has to detect: in a copy of the tree, the edit is made, the test has to fail, and to pass without the edit. TEXT selects an
 * area, or mutants by part of their sentence.
 */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../build/paths.mjs'

const require = createRequire(import.meta.url)
require('sucrase/register/ts')

const COPIES = Math.min(2, availableParallelism())

const TIMEOUT_MS = 10 * 60_000

const MAX_OUTPUT_BYTES = 64 * 2 ** 20

/** Messages of PostgreSQL about a statement that is wrong by itself, which any test would detect. */
const MALFORMED = /^\s*(error: )?(syntax error|(column|function|relation) .* does not exist)/m

const folder = join(ROOT, 'test', 'mutants')
const areas = readdirSync(folder).filter(file => file.endsWith('.ts') && file !== 'mutant.ts')
const [text = ''] = process.argv.slice(2)
const selected = areas.flatMap(file => {
  const area = file.slice(0, -3)
  const mutants = require(join(folder, file)).default.map(mutant => ({ area, ...mutant }))
  return area === text ? mutants : mutants.filter(({ mutant }) => mutant.includes(text))
})
if (selected.length === 0) {
  console.error(
    `error: no area is ${text}, and no mutant contains it; areas: ${areas.join(', ').replaceAll('.ts', '')}`,
  )
  process.exit(2)
}

// The copies are deleted on exit.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

/** Whether tests pass without an edit, by pattern and name. */
const unchanged = new Map()
const counts = { killed: 0, alive: 0, invalid: 0 }
const waiting = [...selected]
await Promise.all(Array.from({ length: Math.min(COPIES, selected.length) }, workThrough))
console.log(`${counts.killed} killed, ${counts.alive} alive, ${counts.invalid} invalid`)
process.exitCode = counts.killed === selected.length ? 0 : 1

async function workThrough() {
  const copy = copyTree()
  for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
    const { outcome, reason } = await tryMutant(copy, mutant)
    counts[outcome]++
    const test = [mutant.test, mutant.name].filter(Boolean).join(': ')
    console.log(
      `${outcome.padEnd(8)}${mutant.area.padEnd(11)}${mutant.mutant} (${test})${reason ? `\n        ${reason}` : ''}`,
    )
  }
}

/** Copies what git tracks or would track, and what was built. Packages are those of the tree itself. */
function copyTree() {
  const copy = mkdtempSync(join(tmpdir(), 'partner-metrics-mutants-'))
  process.on('exit', () => rmSync(copy, { recursive: true, force: true }))
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  for (const file of `${listed}`.split('\0').filter(file => file && existsSync(join(ROOT, file))))
    cpSync(join(ROOT, file), join(copy, file))
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  // Copied last, it is newer than the sources: tests of the built service build it again only after an edit.
  if (require('../../build/is-current.cjs').isCurrent())
    for (const dist of ['client/dist', 'dist']) cpSync(join(ROOT, dist), join(copy, dist), { recursive: true })
  return copy
}

async function tryMutant(copy, { file, replace, by, test, name, project }) {
  const path = join(copy, file)
  const source = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const parts = source.split(replace)
  if (parts.length !== 2) return invalid(`the text is ${parts.length - 1} times in ${file}`)
  writeFileSync(path, parts.join(by))
  try {
    const errors = await compile(copy, file)
    if (errors) return invalid(errors)
    const result = await runTest(copy, test, name, project)
    if (result.malformed) return invalid(result.malformed)
    if (result.passes) return { outcome: 'alive' }
  } finally {
    writeFileSync(path, source)
  }
  const key = `${test} ${name} ${project}`
  if (!unchanged.has(key)) unchanged.set(key, runTest(copy, test, name, project))
  const { passes } = await unchanged.get(key)
  return passes ? { outcome: 'killed' } : invalid('the test fails without the edit, too')
}

function invalid(reason) {
  return { outcome: 'invalid', reason }
}

/** Returns the errors of a source file; tests load TypeScript without its types. */
async function compile(copy, file) {
  if (!/\.tsx?$/.test(file)) return ''
  const project = file.startsWith('web/') ? file.split('/').slice(0, 2).join('/') : 'build'
  const options = ['--noEmit', '--incremental', '--tsBuildInfoFile', join(copy, `.${project.replace('/', '-')}-types`)]
  const { stdout, failed } = await run(copy, join('typescript', 'bin', 'tsc'), ['-p', project, ...options])
  return failed ? stdout : ''
}

async function runTest(copy, test, name, project) {
  const output = join(copy, '.test-result.json')
  rmSync(output, { force: true })
  const named = name ? ['--testNamePattern', name] : []
  const options = ['--ci', '--forceExit', '--maxWorkers', '1', '--json', '--outputFile', output, ...named]
  const projects = ['--selectProjects', ...(project ? [project] : ['unit', 'integration', 'isolation', 'faults'])]
  const { stderr, timedOut } = await run(copy, join('jest', 'bin', 'jest.js'), [
    ...projects,
    ...options,
    '--testPathPatterns',
    test,
  ])
  // A test that never ends has detected the edit.
  if (timedOut) return { passes: false }
  // Without a template, Jest runs no test.
  if (!existsSync(output)) return { malformed: stderr }
  const { testResults, numFailedTests, numPassedTests } = JSON.parse(readFileSync(output, 'utf8'))
  const message = testResults.map(({ message }) => message).join('\n')
  if (MALFORMED.test(message) || numFailedTests + numPassedTests === 0) return { malformed: message || 'no test ran' }
  return { passes: testResults.every(({ status }) => status !== 'failed') }
}

/** Runs the command of a package in the copy. */
function run(copy, command, args) {
  const options = { cwd: copy, timeout: TIMEOUT_MS, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_BYTES }
  return new Promise(resolve => {
    execFile(process.execPath, [join(copy, 'node_modules', command), ...args], options, (error, stdout, stderr) =>
      resolve({ failed: Boolean(error), timedOut: error?.killed === true, stdout, stderr }),
    )
  })
}
