/**
 * The page for the legacy client's developer. Its text is migration.md; what both interfaces answer was recorded from the
 * running routes (migration-examples.json, which a test holds to them); names of parameters and errors come from where they
 * are defined.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ERRORS, type LegacyError } from '../../schema/errors'
import * as params from '../routes/params'
import { escapeHtml, tableOf } from './markdown'
import { renderPage } from './page'

/** A request and what it was answered. */
export interface Recorded {
  request: string
  answer: string
}

/** By name, a legacy request and the partner requests that take its place. */
export type Examples = Record<string, { legacy: Recorded[]; partner: Recorded[] }>

const read = (name: string): string => readFileSync(join(__dirname, name), 'utf8')

const RENAMED = [
  ['GET /v1/metrics/assets/{id}', params.start, params.fromDate],
  ['GET /v1/metrics/assets/{id}', params.end, params.toDate],
  ['GET /v1/metrics/assets/{id}/per-minute', params.day, params.fromDate],
  ['GET /v1/metrics/assets/{id}/per-minute', params.day, params.toDate],
] as const

/** The page as HTML. */
export function migrationPage(): string {
  const examples = JSON.parse(read('migration-examples.json')) as Examples
  return renderPage({
    path: '/docs/migration',
    text: read('migration.md'),
    insertions: {
      example: name => sides(examples, name),
      parameters: () =>
        table(
          ['call', 'legacy', 'partner'],
          RENAMED.map(([call, from, to]) => [call, from.name, to.name]),
        ),
      errors: () =>
        table(
          ['legacy', 'partner', 'when'],
          Object.entries(ERRORS).flatMap(([code, kind]) => {
            const legacy = (kind as { legacy?: LegacyError }).legacy
            return legacy ? [[legacy.code, code, kind.when]] : []
          }),
        ),
    },
  })
}

function sides(examples: Examples, name: string): string {
  const example = examples[name]
  if (!example) throw new Error(`no example of ${name} was recorded`)
  const side = (title: string, recorded: Recorded[]) =>
    `<div><h3>${title}</h3>${recorded.map(({ request, answer }) => block(request, 'request') + block(answer)).join('')}</div>`
  return `<div class="sides">${side('Legacy', example.legacy)}${side('Partner', example.partner)}</div>`
}

// Blank lines would end the block of HTML in Markdown.
const block = (text: string, kind = 'answer'): string =>
  `<pre class="${kind}"><code>${escapeHtml(text).replaceAll('\n\n', '\n')}</code></pre>`

const table = (head: string[], rows: string[][]): string =>
  tableOf(
    head,
    rows.map(row => row.map((cell, i) => (i < 2 ? `\`${cell}\`` : cell))),
  )
