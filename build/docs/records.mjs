/** The parts of pages that are generated from records: errors, methodology, migration, limits and routes. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { DIST, ROOT } from '../paths.mjs'
import { codeBlock, renderTable } from './markdown.mjs'
import { referenceText } from './reference.mjs'

const require = createRequire(import.meta.url)
const { GRAINS } = require(join(DIST, 'db', 'calendar', 'grains'))
const { describeMethodology } = require(join(DIST, 'resolvers', 'methodology'))
const { ERRORS } = require(join(DIST, 'schema', 'errors'))

const readJson = (...path) => JSON.parse(readFileSync(join(ROOT, 'rest-gateway', ...path), 'utf8'))

/** By the name with which the text of a page refers to one. */
const RECORDS = {
  error: errorText,
  example: operation => exampleText(readJson('openapi', 'openapi.json'), operation),
  grains: () =>
    renderTable(
      ['grain', 'days'],
      Object.entries(GRAINS).map(([name, { maxDays }]) => [name, maxDays]),
    ),
  legacy_errors: legacyErrors,
  methodology: path => recordText(path.split('.').reduce((value, name) => value[name], describeMethodology())),
  reference: () => referenceText(readJson('openapi', 'openapi.json')),
}

/** Replaces `{{name}}` and `{{name argument}}` in the text of a page. */
export const fillRecords = text =>
  text.replace(/\{\{(\w+) ?([^{}]*)\}\}/g, (_, name, argument) => RECORDS[name](argument))

function errorText(code) {
  const { status, when, details = {}, optionalDetails = [] } = ERRORS[code]
  const rows = Object.entries(details).map(([name, { description }]) => [
    `\`${name}\``,
    `${description}${optionalDetails.includes(name) ? ' Optional.' : ''}`,
  ])
  const table = rows.length > 0 ? `\n\n${renderTable(['details', 'meaning'], rows)}` : ''
  return `Status ${status}. **Cause:** ${when}${table}`
}

/** Returns the codes that the legacy interface names differently. */
function legacyErrors() {
  const renamed = Object.entries(ERRORS).filter(([, { legacy }]) => legacy)
  const rows = renamed.map(([code, { legacy, when }]) => [`\`${legacy.code}\``, `\`${code}\``, when])
  return renderTable(['legacy', 'partner', 'condition'], rows)
}

/** Returns the example of an operation: its request, and the response. */
function exampleText({ paths }, operation) {
  const [path, { get }] = Object.entries(paths).find(([, { get }]) => get.operationId === operation)
  const sent = get.parameters.filter(({ name, required }) => required || name === 'limit')
  const filled = sent.reduce((text, { name, example }) => text.replace(`{${name}}`, example), path)
  const query = sent.flatMap(({ name, in: place, example }) => (place === 'query' ? `${name}=${example}` : []))
  const { example } = get.responses[200].content['application/json']
  return `\`GET ${[filled, ...(query.length > 0 ? [query.join('&')] : [])].join('?')}\`\n\n${codeBlock(JSON.stringify(example, null, 2), 'json')}`
}

/** Returns a text as it is, and a list of records as a table. */
function recordText(value) {
  if (!Array.isArray(value)) return String(value)
  const names = Object.keys(value[0])
  const rows = value.map(each => names.map(name => ({ true: 'yes', false: 'no' })[each[name]] ?? each[name]))
  return renderTable(names, rows)
}
