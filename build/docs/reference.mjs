/** The reference: every operation of the OpenAPI document with its parameters and the fields of its response. */
import { codeBlock, renderTable } from './markdown.mjs'

/** Returns Markdown. @param document the OpenAPI document */
export function referenceText(document) {
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

  /** Follows a reference within the document. */
  function resolve({ $ref, ...value }) {
    if ($ref === undefined) return value
    const target = $ref
      .split('/')
      .slice(1)
      .reduce((part, name) => part[name], document)
    return { ...resolve(target), ...value }
  }
}
