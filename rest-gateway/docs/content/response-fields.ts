/** The fields of a response as a table, by walking its JSON schema. */

import type { JsonSchema } from '../../record'
import type { Components } from '../../shape/data-schema'
import { renderTable } from '../layout/markdown'

/** Returns the JSON type of a value, with the format of a text. */
export const nameType = ({ type, format }: JsonSchema): string =>
  [type]
    .flat()
    .map(name => (name === 'string' && format ? `string (${format})` : name))
    .join(' or ')

/** Returns a Markdown table. Fields of nested objects follow their parent; `[]` means the elements of a list. */
export function fieldsTable(schema: JsonSchema, components: Components): string {
  const rows = new Map<string, string[]>()
  collect(schema, '')
  return renderTable(['field', 'type', 'meaning'], [...rows.values()])

  function collect(schema: JsonSchema, path: string): void {
    const { items, properties = {}, anyOf = [], oneOf = [] } = resolve(schema)
    for (const alternative of [...(anyOf as JsonSchema[]), ...(oneOf as JsonSchema[])]) collect(alternative, path)
    if (items) collect(items as JsonSchema, `${path}[]`)
    for (const [name, property] of Object.entries(properties)) {
      const field = path === '' ? name : `${path}.${name}`
      if (!rows.has(field)) rows.set(field, [`\`${field}\``, typeOf(property), String(property.description ?? '')])
      collect(property, field)
    }
  }

  function typeOf(schema: JsonSchema): string {
    const resolved = resolve(schema)
    const { anyOf, oneOf, const: value } = resolved
    const alternatives = (anyOf ?? oneOf) as JsonSchema[] | undefined
    if (alternatives) return [...new Set(alternatives.map(typeOf))].join(' or ')
    return value === undefined ? nameType(resolved) : `\`${value}\``
  }

  function resolve(schema: JsonSchema): JsonSchema {
    const [, name] = /^#\/components\/schemas\/(.*)$/.exec(String(schema.$ref)) ?? []
    return name === undefined ? schema : { ...components[name]!, ...schema }
  }
}
