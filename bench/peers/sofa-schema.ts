/**
 * A schema as one would write it for SOFA: one query field for each route. Its type has the fields that the route's
 * persisted query selects, under their aliases. The resolvers are those of the service's own schema.
 */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLFieldConfig,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  GraphQLSchema,
  GraphQLString,
  getArgumentValues,
  getNullableType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql'
import type { Context } from '../../resolvers/context'
import type { RouteRecord } from '../../rest-gateway/routes/record'

/** The context of SOFA's resolvers: the service's own context, and the arguments of the route, which nested fields need. */
export interface SofaContext {
  context: Context
  variables: Record<string, unknown>
}

type Fields = Record<string, GraphQLFieldConfig<unknown, SofaContext>>

interface Selected {
  node: FieldNode
  field: GraphQLField<unknown, Context>
}

/** @param routes whose bodies are a part of the result's data, without an envelope */
export function restSchema(schema: GraphQLSchema, routes: readonly RouteRecord[]): GraphQLSchema {
  return new GraphQLSchema({
    query: new GraphQLObjectType({
      name: 'Query',
      fields: Object.fromEntries(routes.map(route => [route.operation, rootField(schema, route)])),
    }),
  })
}

function rootField(schema: GraphQLSchema, { query, operation }: RouteRecord): GraphQLFieldConfig<unknown, SofaContext> {
  const { definitions } = parse(query)
  const fragments = new Map(
    definitions.flatMap(each => (each.kind === 'FragmentDefinition' ? [[each.name.value, each]] : [])),
  )
  const root = definitions.find(each => each.kind === 'OperationDefinition')
  const types = new TypeBuilder(operation, fragments)
  // The body is the first object on the way down that has more than one field.
  const path: Selected[] = []
  let parent = schema.getQueryType() as GraphQLObjectType
  let selection = root?.selectionSet
  for (;;) {
    const found = types.selected(parent, selection as SelectionSetNode)
    const [only] = found
    if (!only || found.length > 1) break
    path.push(only)
    parent = getNullableType(only.field.type) as GraphQLObjectType
    selection = only.node.selectionSet
  }
  // Lists are separated by commas, as everywhere in this interface.
  const args = (root?.variableDefinitions ?? []).map(({ variable, type }) => [
    variable.name.value,
    { type: type.kind === 'ListType' ? GraphQLString : (typeFromAST(schema, type as never) as never) },
  ])
  const lists = (root?.variableDefinitions ?? []).flatMap(({ variable, type }) =>
    type.kind === 'ListType' ? [variable.name.value] : [],
  )
  return {
    type: types.objectType(parent, selection as SelectionSetNode),
    args: Object.fromEntries(args),
    async resolve(_, { ...variables }, sofa, info) {
      for (const list of lists) if (variables[list] != null) variables[list] = variables[list].split(',')
      sofa.variables = variables
      let value: unknown = {}
      for (const selected of path) value = value && (await resolveField(selected, value, sofa, info))
      if (value === null) throw new GraphQLError('There is no such asset.', { extensions: { http: { status: 404 } } })
      return value
    },
  }
}

class TypeBuilder {
  constructor(
    private readonly prefix: string,
    private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  ) {}

  objectType(parent: GraphQLObjectType, selection: SelectionSetNode, at: readonly string[] = []): GraphQLObjectType {
    const fields: Fields = {}
    for (const selected of this.selected(parent, selection)) {
      const name = nameOf(selected.node)
      fields[name] = {
        type: this.outputType(selected.field.type, selected.node, [...at, name]),
        resolve: (source, _, sofa, info) => resolveField(selected, source, sofa, info),
      }
    }
    return new GraphQLObjectType({ name: [this.prefix, ...at].join('_'), fields })
  }

  /** The fields of a selection, including those of its fragments. */
  selected(parent: GraphQLObjectType, { selections }: SelectionSetNode): Selected[] {
    return selections.flatMap(node => {
      if (node.kind === 'Field') {
        return [{ node, field: parent.getFields()[node.name.value] as GraphQLField<unknown, Context> }]
      }
      const fragment = node.kind === 'FragmentSpread' ? this.fragments.get(node.name.value) : node
      return this.selected(parent, fragment?.selectionSet as SelectionSetNode)
    })
  }

  private outputType(type: GraphQLOutputType, node: FieldNode, at: readonly string[]): GraphQLOutputType {
    if (isNonNullType(type)) return new GraphQLNonNull(this.outputType(type.ofType, node, at) as never)
    if (isListType(type)) return new GraphQLList(this.outputType(type.ofType, node, at))
    return isObjectType(type) ? this.objectType(type, node.selectionSet as SelectionSetNode, at) : type
  }
}

const nameOf = ({ alias, name }: FieldNode): string => (alias ?? name).value

function resolveField(
  { node, field }: Selected,
  source: unknown,
  sofa: SofaContext,
  info: GraphQLResolveInfo,
): unknown {
  if (!field.resolve) return (source as Record<string, unknown>)[field.name]
  return field.resolve(
    source,
    getArgumentValues(field as GraphQLField<unknown, unknown>, node, sofa.variables),
    sofa.context,
    info,
  )
}
