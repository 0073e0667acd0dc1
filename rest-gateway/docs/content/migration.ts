/** The migration guide: migration.md, with recorded requests and responses of both interfaces side by side. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ERRORS } from '../../../schema/errors'
import * as params from '../../read/params'
import { fillPlaceholders, renderTable } from '../layout/markdown'
import { readDocument } from '../read-document'

/** A request and the body of its response. */
export interface Exchange {
  request: string
  response: string
}

/** By name, a legacy request and the partner requests that replace it. Recorded; a test compares them. */
export type MigrationExamples = Record<string, { legacy: Exchange[]; partner: Exchange[] }>

const EXAMPLES = join(__dirname, '..', 'migration-examples.json')

const RENAMED_PARAMETERS = [
  ['GET /v1/metrics/assets/{id}', params.start, params.fromDate],
  ['GET /v1/metrics/assets/{id}', params.end, params.toDate],
  ['GET /v1/metrics/assets/{id}/per-minute', params.day, params.fromDate],
  ['GET /v1/metrics/assets/{id}/per-minute', params.day, params.toDate],
] as const

/** Returns Markdown. */
export function migrationText(): string {
  const examples = JSON.parse(readFileSync(EXAMPLES, 'utf8')) as MigrationExamples
  return fillPlaceholders(readDocument('migration.md'), {
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
  })
}

function sideBySide(examples: MigrationExamples, name: string): string {
  const example = examples[name]
  if (!example) throw new Error(`the example ${name} was not recorded`)
  const column = (title: string, exchanges: Exchange[]) =>
    `<div>\n\n**${title}**\n\n${exchanges.map(({ request, response }) => `${fence(request, 'request')}\n\n${fence(response, 'json')}`).join('\n\n')}\n\n</div>`
  return `<div class="sides">\n\n${column('Legacy', example.legacy)}\n\n${column('Partner', example.partner)}\n\n</div>`
}

const fence = (text: string, language: string): string => `\`\`\`${language}\n${text}\n\`\`\``

/** Returns a table whose first two columns are code. */
const table = (head: string[], rows: string[][]): string =>
  renderTable(
    head,
    rows.map(row => row.map((cell, i) => (i < 2 ? `\`${cell}\`` : cell))),
  )
