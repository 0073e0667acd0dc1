/** Selects the documents that graphql-jit may compile: it has the same result as graphql-js on them, and does not block for long. */
import { BREAK, type DocumentNode, Kind, visit } from 'graphql'

/** Fields and fragments, with fragments expanded. Compiling takes up to 0.1 ms for each. */
const MAX_SELECTIONS = 200

/**
 * With @skip or @include on fields that occur twice, or in fragments, graphql-jit selects the wrong ones. It loses aliases
 * and variables such as `__proto__`, which every object inherits.
 */
export function isCompilable(document: DocumentNode): boolean {
  let isSame = true
  visit(document, {
    enter(node) {
      if (node.kind !== Kind.DIRECTIVE && !(node.kind === Kind.NAME && node.value in Object.prototype)) return undefined
      isSame = false
      return BREAK
    },
  })
  return isSame && countSelections(document) <= MAX_SELECTIONS
}

/** Returns the number of selections of all operations. */
function countSelections(document: DocumentNode): number {
  const sizes = new Map<string, number>()
  return document.definitions.reduce(
    (sum, definition) => sum + (definition.kind === Kind.OPERATION_DEFINITION ? countNodes(definition) : 0),
    0,
  )

  function countNodes(node: object): number {
    let size = 0
    visit(node as DocumentNode, {
      enter(node) {
        if (node.kind === Kind.FIELD || node.kind === Kind.INLINE_FRAGMENT) size++
        else if (node.kind === Kind.FRAGMENT_SPREAD) size += fragmentSize(node.name.value)
      },
    })
    return size
  }

  /** Valid documents have no cycles. */
  function fragmentSize(name: string): number {
    let size = sizes.get(name)
    if (size === undefined) {
      const fragment = document.definitions.find(
        definition => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name,
      )
      size = fragment ? countNodes(fragment) : 0
      sizes.set(name, size)
    }
    return size
  }
}
