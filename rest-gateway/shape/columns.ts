/** The columns of a list in flat formats, derived from the JSON schema of its rows. */
import type { DocumentNode } from 'graphql'
import { schema } from '../../resolvers/schema'
import { isLegacy } from '../paths'
import type { Column, JsonSchema, Route, RouteRecord } from '../record'
import { type Components, dataSchema } from './data-schema'

/** The name of the column with the UTC offset of a local time, in minutes. */
export const UTC_OFFSET = 'utc_offset_minutes'

/** Returns the formats of a route and, if it returns a list, the columns of its rows. */
export function listColumns(record: RouteRecord, document: DocumentNode): Pick<Route, 'formats' | 'columns'> {
  const { path, envelope, localTimes = [] } = record
  const components: Components = {}
  const data = dataSchema(schema, document, components)
  const row = envelope.list ? envelope.list.row(data) : (envelope.schema(data).properties?.data?.items as JsonSchema)
  if (isLegacy(path) || !row) return { formats: ['json'], columns: [] }
  return {
    // Lists of one asset are short.
    formats: ['json', 'csv', 'ndjson', ...(path.includes('{id}') ? [] : (['parquet'] as const))],
    columns: deriveColumns(row, components).map(column => ({ ...column, local: localTimes.includes(column.name) })),
  }
}

export function readValue(row: object | undefined, path: readonly string[]): unknown {
  let value = (row as Record<string, unknown> | undefined)?.[path[0]!]
  // Every object has a `constructor` that is not its own.
  for (let i = 1; i < path.length; i++) {
    value = value != null && Object.hasOwn(value, path[i]!) ? (value as Record<string, unknown>)[path[i]!] : undefined
  }
  return value
}

/** Whether the values of a column are text in CSV and JSON. */
export const isText = ({ type }: Pick<Column, 'type'>): boolean => ['text', 'date', 'time'].includes(type)

/** @throws Error for a row with lists of objects, which no flat format has */
function deriveColumns(row: JsonSchema, components: Components): Column[] {
  return objectColumns(row, [], false)

  function objectColumns(schema: JsonSchema, path: readonly string[], nullable: boolean): Column[] {
    const { properties = {}, required } = resolve(schema)
    return Object.entries(properties).flatMap(([name, property]) => {
      const optional = path.length === 0 && !(required as string[]).includes(name)
      return valueColumns(property, [...path, name], nullable).map(column => ({ ...column, optional }))
    })
  }

  function valueColumns(schema: JsonSchema, path: readonly string[], nullable: boolean): Omit<Column, 'optional'>[] {
    const alternatives = schema.anyOf as JsonSchema[] | undefined
    if (alternatives) {
      const [present] = alternatives.filter(({ type }) => type !== 'null')
      return valueColumns(present!, path, true)
    }
    const { type, properties, items } = resolve(schema)
    if (properties) return objectColumns(schema, path, nullable)
    const name = path.join('_')
    if (schema.additionalProperties) return [{ name, path, type: 'text', nullable: true, plain: false, isObject: true }]
    if (items && resolve(items as JsonSchema).properties) throw new Error(`${path.join('.')} is a list of objects`)
    const types = [type].flat() as string[]
    const leaf = types.find(each => each !== 'null')
    const plain = schema.format !== undefined || schema.enum !== undefined
    const valueType = chooseType(leaf, schema.format)
    return [{ name, path, type: valueType, nullable: nullable || types.includes('null'), plain }]
  }

  function resolve(schema: JsonSchema): JsonSchema {
    const name = (schema.$ref as string | undefined)?.split('/').at(-1)
    return name === undefined ? schema : resolve(components[name]!)
  }
}

/** Returns the columns of a response, with one for each name in place of an object. */
export const nameColumns = (columns: readonly Column[], names: readonly string[]): Column[] =>
  columns.flatMap(({ isObject, ...column }) =>
    isObject
      ? names.map(name => ({ ...column, name: `${column.name}_${name}`, path: [...column.path, name] }))
      : column,
  )

function chooseType(type: string | undefined, format: unknown): Column['type'] {
  if (type === 'integer' || type === 'number' || type === 'boolean') return type
  return format === 'date' ? 'date' : format === 'date-time' ? 'time' : 'text'
}
