/** Describes the variables of a query, so that a form can be made of them: by their GraphQL types, and where they are used. */
import {
  type ArgumentNode,
  type ASTNode,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  type ObjectFieldNode,
  parse,
  TypeInfo,
  typeFromAST,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql'

const LOCATION_FIELDS = ['country', 'region', 'city'] as const

export type LocationField = (typeof LOCATION_FIELDS)[number]

type VariableKind = LocationField | 'asset' | 'company' | 'date' | 'enum' | 'boolean' | 'number' | 'text' | 'json'

export interface Variable {
  name: string
  kind: VariableKind
  isList: boolean
  isRequired: boolean
  /** The value without one of the user's, as in the query. */
  defaultValue: unknown
  /** The values of an enum. */
  values: string[]
  /** The argument or input field that has the value, such as `fromDate`. */
  usedAs: string | undefined
}

interface Use {
  name: string
  /** The field or the input type to which the argument or input field belongs. */
  of: string | undefined
}

/** Returns the variables of the first operation; undefined for a query that cannot be parsed, as while it is written. */
export function describeVariables(schema: GraphQLSchema, query: string): Variable[] | undefined {
  try {
    const document = parse(query)
    const operation = document.definitions.find(definition => definition.kind === Kind.OPERATION_DEFINITION)
    if (!operation) return undefined
    const uses = findUses(schema, operation)
    return (operation.variableDefinitions ?? []).map(({ variable, type, defaultValue }) => {
      const name = variable.name.value
      const declared = typeFromAST(schema, type as Parameters<typeof typeFromAST>[1])
      const nullable = isNonNullType(declared) ? declared.ofType : declared
      const named = declared && getNamedType(declared)
      const use = uses.get(name)
      return {
        name,
        kind: isInputObjectType(named) ? 'json' : findKind(named?.name ?? '', isEnumType(named), use),
        isList: isListType(nullable),
        isRequired: isNonNullType(declared) && defaultValue === undefined,
        defaultValue: defaultValue && valueFromASTUntyped(defaultValue),
        values: isEnumType(named) ? named.getValues().map(value => value.name) : [],
        usedAs: use?.name,
      }
    })
  } catch {
    return undefined
  }
}

function findKind(type: string, isEnum: boolean, use: Use | undefined): VariableKind {
  if (isEnum) return 'enum'
  if (type === 'Boolean') return 'boolean'
  if (type === 'Int' || type === 'Float') return 'number'
  if (type === 'Date') return 'date'
  if (type === 'String') return LOCATION_FIELDS.find(field => field === use?.name) ?? 'text'
  if (type !== 'ID') return 'text'
  if (use?.name === 'companyId') return 'company'
  const isAsset =
    /^assetIds?$/.test(use?.name ?? '') || (use?.name === 'id' && /^(asset|AssetFilter)$/.test(use.of ?? ''))
  return isAsset ? 'asset' : 'text'
}

/** Returns the first use of each variable, as an argument or an input field, alone or in a list. */
function findUses(schema: GraphQLSchema, operation: ASTNode): Map<string, Use> {
  const uses = new Map<string, Use>()
  const types = new TypeInfo(schema)
  const add = ({ name, value }: ArgumentNode | ObjectFieldNode, of: string | undefined) => {
    for (const variable of value.kind === Kind.LIST ? value.values : [value])
      if (variable.kind === Kind.VARIABLE && !uses.has(variable.name.value))
        uses.set(variable.name.value, { name: name.value, of })
  }
  visit(
    operation,
    visitWithTypeInfo(types, {
      Argument: node => add(node, types.getFieldDef()?.name),
      ObjectField: node => add(node, getNamedType(types.getParentInputType())?.name),
    }),
  )
  return uses
}
