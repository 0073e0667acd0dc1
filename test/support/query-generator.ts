/** Generates valid GraphQL queries: aliases, arguments as literals and variables, directives, all kinds of fragments. */
import fc, { type GeneratorValue } from 'fast-check'
import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'

export interface GeneratedQuery {
  text: string
  variables: Record<string, unknown>
}

const SCALARS: Record<string, unknown[]> = {
  ID: ['a', '7', 'abc12345'],
  String: ['DE', 'Berlin', ''],
  Int: [1, 2, 50],
  Float: [0, 1.5, 13],
  Boolean: [true, false],
  Date: ['2026-01-01', '2026-02-28'],
}

/** Valid names that objects of JavaScript have by themselves. */
const INHERITED = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']

export class QueryGenerator {
  private readonly definitions: string[] = []
  private readonly fragments: string[] = []
  private readonly variables = new Map<string, unknown>()
  /** Names of variables and fragments so far. */
  private readonly names = new Set<string>()
  private conditional = false

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly draw: GeneratorValue,
    /** Further values of arguments that take text. */
    private readonly texts: readonly string[] = [],
  ) {}

  generate(): GeneratedQuery {
    const root = this.schema.getQueryType() as GraphQLNamedType
    this.conditional = this.below(4) === 0
    const selection = this.selection(root, 0)
    const head = this.definitions.length > 0 ? `(${this.definitions.join(', ')})` : ''
    const text = [`query Generated${head} ${selection}`, ...this.fragments].join('\n')
    return { text, variables: Object.fromEntries(this.variables) }
  }

  /** Returns a random number from 0 to `limit`, exclusive. */
  private below(limit: number): number {
    return this.draw(fc.nat, { max: limit - 1 })
  }

  private pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item
  }

  private selection(type: GraphQLNamedType, depth: number): string {
    const parts = Array.from({ length: 1 + this.below(4) }, () => this.part(type, depth))
    return `{ ${parts.join(' ')} }`
  }

  private part(type: GraphQLNamedType, depth: number): string {
    const kind = this.below(10)
    if (depth < 4 && kind === 0) return `...${this.directive()} ${this.selection(type, depth + 1)}`
    if (depth < 4 && kind === 1) {
      const target = this.condition(type)
      return `... on ${target.name}${this.directive()} ${this.selection(target, depth + 1)}`
    }
    if (depth < 4 && kind === 2) {
      const target = this.condition(type)
      const name = this.name(`F${this.fragments.length}`)
      const index = this.fragments.push('') - 1
      this.fragments[index] = `fragment ${name} on ${target.name} ${this.selection(target, depth + 1)}`
      return `...${name}${this.directive()}`
    }
    return this.field(type, depth)
  }

  /** Returns the type condition of a fragment within a selection on `type`. */
  private condition(type: GraphQLNamedType): GraphQLNamedType {
    const related: GraphQLNamedType[] = [type]
    if (isAbstractType(type)) related.push(...this.schema.getPossibleTypes(type))
    if (isObjectType(type)) related.push(...type.getInterfaces())
    return this.pick(related)
  }

  private field(type: GraphQLNamedType, depth: number): string {
    const fields = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : []
    const leaves = fields.filter(field => !isCompositeType(getNamedType(field.type)))
    const field = this.pick(depth > 6 && leaves.length > 0 ? leaves : fields)
    if (this.below(12) === 0) return `__typename${this.directive()}`
    const args = field.args.flatMap(arg => this.argument(arg))
    const fieldType: GraphQLOutputType = getNamedType(field.type)
    const argumentList = args.length > 0 ? `(${args.join(', ')})` : ''
    const prefix = this.below(4) === 0 ? `again_${field.name}` : field.name
    // The alias depends on the arguments, so that equal aliases can always be merged. Inherited names may be in conflict.
    const distinct = argumentList === '' ? prefix : `${prefix}_${nameOf(argumentList)}`
    const alias = this.below(10) === 0 ? this.pick(INHERITED) : distinct
    const selection = isCompositeType(fieldType) ? ` ${this.selection(fieldType, depth + 1)}` : ''
    return `${alias}: ${field.name}${argumentList}${this.directive()}${selection}`
  }

  private argument(arg: GraphQLArgument): string[] {
    const required = isNonNullType(arg.type) && arg.defaultValue === undefined
    if (!required && this.below(3) > 0) return []
    if (this.below(3) > 0) return [`${arg.name}: ${literal(this.value(arg.type))}`]
    return [`${arg.name}: $${this.variable(String(arg.type), this.value(arg.type))}`]
  }

  private variable(type: string, value: unknown): string {
    const name = this.name(`v${this.definitions.length}`)
    const optional = !type.endsWith('!')
    const defaultValue = optional && this.below(4) === 0 ? ` = ${literal(value)}` : ''
    this.definitions.push(`$${name}: ${type}${defaultValue}`)
    // An optional variable is sometimes omitted, or sent as null.
    const kind = optional ? this.below(4) : 3
    if (kind > 0) this.variables.set(name, kind === 1 ? null : toJson(value))
    return name
  }

  /** Returns a name that no other variable or fragment has. */
  private name(usual: string): string {
    const inherited = this.pick(INHERITED)
    const name = this.below(6) === 0 && !this.names.has(inherited) ? inherited : usual
    this.names.add(name)
    return name
  }

  private value(type: GraphQLInputType): unknown {
    if (isNonNullType(type)) return this.value(type.ofType)
    if (isListType(type)) return Array.from({ length: this.below(3) }, () => this.value(type.ofType))
    if (isEnumType(type)) return new EnumValue(this.pick(type.getValues()).name)
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(field => isNonNullType(field.type) || this.below(3) === 0)
      return Object.fromEntries(fields.map(field => [field.name, this.value(field.type)]))
    }
    const isText = type.name === 'ID' || type.name === 'String'
    return this.pick([...(SCALARS[type.name] ?? [null]), ...(isText ? this.texts : [])])
  }

  private directive(): string {
    if (!this.conditional) return ''
    const kind = this.below(8)
    if (kind > 3) return ''
    const value = this.below(2) === 0
    const name = kind % 2 === 0 ? 'skip' : 'include'
    return kind < 2 ? ` @${name}(if: ${value})` : ` @${name}(if: $${this.variable('Boolean!', value)})`
  }
}

class EnumValue {
  constructor(readonly name: string) {}
}

/** Returns a value as GraphQL text. */
function literal(value: unknown): string {
  if (value instanceof EnumValue) return value.name
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  return `{ ${Object.entries(value)
    .map(([name, field]) => `${name}: ${literal(field)}`)
    .join(', ')} }`
}

/** Returns a value as the JSON of a variable. */
function toJson(value: unknown): unknown {
  if (value instanceof EnumValue) return value.name
  if (Array.isArray(value)) return value.map(toJson)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, toJson(field)]))
}

/** Returns a name that depends on the text only. */
function nameOf(text: string): string {
  let hash = 7
  for (const letter of text) hash = (hash * 31 + (letter.codePointAt(0) as number)) % 1_000_003
  return `a${hash}`
}
