/** The parts of pages that are generated from records: errors, methodology, migration, limits and routes. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { DIST, ROOT } from '../paths.mjs'
import { codeBlock, renderTable } from './markdown.mjs'

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

/** Returns every operation of the OpenAPI document, with its parameters and the fields of its response. */
function referenceText(document) {
  const operations = Object.entries(document.paths).map(([path, { get }]) => ({ path, ...get }))
  const sorted = document.tags.flatMap(({ name }) => operations.filter(({ tags }) => tags.includes(name)))
  return sorted.map(operationText).join('\n\n')

  function operationText({ path, operationId, tags, summary, description, parameters = [], responses }) {
    const rows = parameters.map(resolve).map(({ name, required, description, schema }) => {
      const { default: value, enum: values } = resolve(schema)
      const choices = values ? ` One of ${values.map(each => `\`${each}\``).join(', ')}.` : ''
      const byDefault = value === undefined ? '' : ` Default: \`${value}\`.`
      return [`\`${name}\``, typeOf(schema), required ? 'required' : 'optional', description + choices + byDefault]
    })
    return `<div class="operation">

## ${summary} {#${operationId}}

<div>

\`GET ${path}\` · [Try it](/docs/try#/${tags[0]}/${operationId})

${description}

${rows.length > 0 ? renderTable(['parameter', 'type', 'presence', 'meaning'], rows) : ''}

</div>

${responseText(responses[200].content['application/json'])}

</div>`
  }

  function responseText(content) {
    if (content === undefined) return ''
    const { schema, example, examples = {} } = content
    const value = example ?? Object.values(examples)[0]?.value
    const block = value === undefined ? '' : codeBlock(JSON.stringify(value, null, 2), 'json')
    const fields = `<details>\n<summary>Fields of the response</summary>\n\n${fieldsTable(schema)}\n\n</details>`
    return `<div>\n\n${block}\n\n${fields}\n\n</div>`
  }

  /** Returns the fields of a response. Those of nested objects follow their parent; `[]` means the elements of a list. */
  function fieldsTable(schema) {
    const rows = new Map()
    const collect = (schema, path) => {
      const { items, properties = {}, anyOf = [], oneOf = [] } = resolve(schema)
      for (const alternative of [...anyOf, ...oneOf]) collect(alternative, path)
      if (items) collect(items, `${path}[]`)
      for (const [name, property] of Object.entries(properties)) {
        const field = path === '' ? name : `${path}.${name}`
        const { description = '' } = resolve(property)
        if (!rows.has(field)) rows.set(field, [`\`${field}\``, typeOf(property), description])
        collect(property, field)
      }
    }
    collect(schema, '')
    return renderTable(['field', 'type', 'meaning'], [...rows.values()])
  }

  /** Returns the JSON type of a value, with the format of a text. */
  function typeOf(schema) {
    const { type = [], format, anyOf, oneOf, const: value } = resolve(schema)
    const alternatives = anyOf ?? oneOf
    if (alternatives) return [...new Set(alternatives.map(typeOf))].join(' or ')
    if (value !== undefined) return `\`${value}\``
    const names = [type].flat().map(name => (name === 'string' && format ? `string (${format})` : name))
    return names.join(' or ')
  }

  function resolve({ $ref, ...value }) {
    if ($ref === undefined) return value
    const target = $ref
      .split('/')
      .slice(1)
      .reduce((part, name) => part[name], document)
    return { ...resolve(target), ...value }
  }
}
