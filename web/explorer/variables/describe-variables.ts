/** Describes the variables of a query, so that a form can be made of them: by their GraphQL types, and where they are used. */
import {
  type ASTNode,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  getOperationAST,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  parse,
  TypeInfo,
  typeFromAST,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql'

const PLACES = ['country', 'region', 'city'] as const

export type Place = (typeof PLACES)[number]

type VariableKind = Place | 'asset' | 'company' | 'date' | 'enum' | 'boolean' | 'number' | 'text' | 'json'

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
    const operation = document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION)
    if (operation?.kind !== Kind.OPERATION_DEFINITION) return undefined
    const uses = findUses(schema, getOperationAST(document) ?? operation)
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
  if (type === 'String') return PLACES.find(place => place === use?.name) ?? 'text'
  if (type !== 'ID') return 'text'
  if (use?.name === 'companyId') return 'company'
  const isAsset =
    /^assetIds?$/.test(use?.name ?? '') || (use?.name === 'id' && /^(asset|AssetFilter)$/.test(use.of ?? ''))
  return isAsset ? 'asset' : 'text'
}

/** Returns the first use of each variable. */
function findUses(schema: GraphQLSchema, operation: ASTNode): Map<string, Use> {
  const uses = new Map<string, Use>()
  const types = new TypeInfo(schema)
  visit(
    operation,
    visitWithTypeInfo(types, {
      VariableDefinition: () => false,
      Variable({ name }, _key, parent, _path, ancestors) {
        const nodes = [...ancestors, parent].filter((node): node is ASTNode => node !== undefined && 'kind' in node)
        const argument = nodes.findLast(({ kind }) => kind === Kind.ARGUMENT || kind === Kind.OBJECT_FIELD)
        if (uses.has(name.value) || !argument || !('name' in argument)) return
        const of = argument.kind === Kind.ARGUMENT ? types.getFieldDef()?.name : types.getParentInputType()
        uses.set(name.value, { name: argument.name?.value ?? '', of: of ? getName(of) : undefined })
      },
    }),
  )
  return uses
}

/** Returns the name of a field, or of a type that may be wrapped, for example in NonNull. */
const getName = (of: string | GraphQLType): string => (typeof of === 'string' ? of : getNamedType(of).name)
