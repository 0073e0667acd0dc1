/**
 * The schemas that REST executes its persisted queries on: the public one, in which lists of objects and a single asset are leaves. Rows
 * are plain objects with the selected fields, under their aliases, and the executor does not look into them.
 */
import { MapperKind, mapMaybePromise, mapSchema } from '@graphql-tools/utils'
import {
  defaultFieldResolver,
  type FieldNode,
  type GraphQLObjectType,
  GraphQLScalarType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql'
import { schema } from './schema'
import { compilePick, type Fragments, type PickRow, readSelection } from './selection'
import { Turns } from './turns'

const ROWS = new GraphQLScalarType({ name: 'Rows', description: 'Rows as plain objects, or one of them.' })

/** @param isNested whether an asset, or the nodes of a page, have fields with resolvers */
const withLeaves = (isNested: boolean): GraphQLSchema =>
  mapSchema(schema, {
    [MapperKind.COMPOSITE_FIELD](config, name, typeName) {
      const type = getNamedType(config.type)
      const isRows = isListType(getNullableType(config.type)) && !(isNested && typeName === 'AssetPage')
      if (!isObjectType(type) || !(isRows || (!isNested && typeName === 'Query' && name === 'asset'))) return undefined
      const { resolve = defaultFieldResolver } = config
      return {
        ...config,
        type: ROWS,
        resolve(source, values, context, info) {
          const pick = findPick(info.fieldNodes[0]!, type, info.fragments)
          // Rows that are there are picked at once, so that those of one list alone are in memory twice.
          return mapMaybePromise(resolve(source, values, context, info), found => pickFound(found, pick))
        },
      }
    },
  })

export const restSchema = withLeaves(false)

/** For queries of assets with lists nested under them. */
export const nestedRestSchema = withLeaves(true)

const picks = new WeakMap<FieldNode, PickRow>()

function findPick(field: FieldNode, type: GraphQLObjectType, fragments: Fragments): PickRow {
  const known = picks.get(field)
  if (known) return known
  const pick = compilePick(readSelection(field.selectionSet, type, fragments))
  picks.set(field, pick)
  return pick
}

/** Rows that are picked in one turn. */
const ROWS_PER_TURN = 10_000

/** Returns the selected fields of rows, of which many are picked in turns, or of one row; null for none. */
function pickFound(found: unknown, pick: PickRow): object | null | undefined {
  if (!Array.isArray(found)) return found == null ? found : pick(found)
  return found.length <= ROWS_PER_TURN ? found.map(pick) : pickInTurns(found, pick)
}

async function pickInTurns(rows: readonly unknown[], pick: PickRow): Promise<object[]> {
  const picked: object[] = []
  const turns = new Turns()
  for (const row of rows) {
    picked.push(pick(row))
    if (picked.length % ROWS_PER_TURN === 0 && turns.isOver) await turns.next()
  }
  return picked
}
