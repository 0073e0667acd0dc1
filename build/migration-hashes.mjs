/**
 * Keeps db/migrations/migrations.sha256, the hashes of all migrations, in the form of `sha256sum`. A migration that landed
 * is never edited, since databases have run it: a test compares the files with the list. `npm run generate` adds new ones.
 * Run by itself (`node build/migration-hashes.mjs`), it writes the whole list again, for a new baseline.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT } from './paths.mjs'

const DIRECTORY = join(ROOT, 'db', 'migrations')
const LIST = join(DIRECTORY, 'migrations.sha256')

/** Adds the migrations that are not listed yet. */
export function addMigrationHashes() {
  const lines = existsSync(LIST) ? readFileSync(LIST, 'utf8').split('\n').filter(Boolean) : []
  const listed = new Set(lines.map(line => line.slice(66)))
  writeHashes([
    ...lines,
    ...migrations()
      .filter(name => !listed.has(name))
      .map(hashLine),
  ])
}

/** The migrations, and the SQL files of the baseline. */
const migrations = () =>
  readdirSync(DIRECTORY, { recursive: true })
    .map(name => name.replaceAll('\\', '/'))
    .filter(name => name.endsWith('.ts') || name.startsWith('baseline/'))
    .sort()

const hashLine = name =>
  `${createHash('sha256')
    .update(readFileSync(join(DIRECTORY, name)))
    .digest('hex')}  ${name}`

const writeHashes = lines => writeFileSync(LIST, `${lines.join('\n')}\n`)

if (process.argv[1] === fileURLToPath(import.meta.url)) writeHashes(migrations().map(hashLine))
