/** The migration guide: migration.md, with recorded requests and responses of both interfaces side by side. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ERRORS } from '../../schema/errors'
import * as params from '../parameters/params'
import { escapeHtml, renderTable } from './markdown'
import { renderPage } from './page'

/** A request and the body of its response. */
export interface Exchange {
  request: string
  response: string
}

/** By name, a legacy request and the partner requests that replace it. Recorded; a test compares them. */
export type MigrationExamples = Record<string, { legacy: Exchange[]; partner: Exchange[] }>

const read = (name: string): string => readFileSync(join(__dirname, name), 'utf8')

const RENAMED_PARAMETERS = [
  ['GET /v1/metrics/assets/{id}', params.start, params.fromDate],
  ['GET /v1/metrics/assets/{id}', params.end, params.toDate],
  ['GET /v1/metrics/assets/{id}/per-minute', params.day, params.fromDate],
  ['GET /v1/metrics/assets/{id}/per-minute', params.day, params.toDate],
] as const

/** Renders the page as HTML. */
export function migrationPage(): string {
  const examples = JSON.parse(read('migration-examples.json')) as MigrationExamples
  return renderPage({
    path: '/docs/migration',
    text: read('migration.md'),
    placeholders: {
      example: name => sideBySide(examples, name),
      parameters: () =>
        table(
          ['route', 'legacy', 'partner'],
          RENAMED_PARAMETERS.map(([route, from, to]) => [route, from.name, to.name]),
        ),
      errors: () =>
        table(
          ['legacy', 'partner', 'condition'],
          Object.entries(ERRORS).flatMap(([code, { legacy, when }]) => (legacy ? [[legacy.code, code, when]] : [])),
        ),
    },
  })
}

function sideBySide(examples: MigrationExamples, name: string): string {
  const example = examples[name]
  if (!example) throw new Error(`the example ${name} was not recorded`)
  const column = (title: string, exchanges: Exchange[]) =>
    `<div><h3>${title}</h3>${exchanges.map(({ request, response }) => block(request, 'request') + block(response, 'response')).join('')}</div>`
  return `<div class="sides">${column('Legacy', example.legacy)}${column('Partner', example.partner)}</div>`
}

// In Markdown, a blank line would end the HTML block.
const block = (text: string, kind: 'request' | 'response'): string =>
  `<pre class="${kind}"><code>${escapeHtml(text).replaceAll('\n\n', '\n')}</code></pre>`

/** Returns a table whose first two columns are code. */
const table = (head: string[], rows: string[][]): string =>
  renderTable(
    head,
    rows.map(row => row.map((cell, i) => (i < 2 ? `\`${cell}\`` : cell))),
  )
