/** Measures the lists that introspection of a schema returns. */
import { type GraphQLSchema, introspectionFromSchema } from 'graphql'

const lengths = new WeakMap<GraphQLSchema, ReadonlyMap<string, number>>()

/** Returns the mean length of the lists of a field of introspection that are not empty; 1 for a field that is no list. */
export function meanLength(schema: GraphQLSchema, field: string): number {
  const known = lengths.get(schema) ?? measureLists(schema)
  lengths.set(schema, known)
  return known.get(field) ?? 1
}

function measureLists(schema: GraphQLSchema): ReadonlyMap<string, number> {
  const sums = new Map<string, [items: number, lists: number]>()
  JSON.stringify(introspectionFromSchema(schema), (name, value) => {
    if (Array.isArray(value) && value.length > 0) {
      const [items, lists] = sums.get(name) ?? [0, 0]
      sums.set(name, [items + value.length, lists + 1])
    }
    return value
  })
  return new Map([...sums].map(([name, [items, lists]]) => [name, items / lists]))
}
