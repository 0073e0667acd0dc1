/**
 * Batches whose rows arrive in an arbitrary order, unless the statement orders them: PostgreSQL promises no other order, and
 * gives another one when statistics, versions or settings change its plan.
 */

import { Batch, type Statement } from '../../db/postgres/batch'

/** ROW_ORDER repeats a run with other orders. */
const SEED = Number(process.env.ROW_ORDER ?? 1)

/** @param seed the same seed gives the same orders, another one for each read */
export function shuffledRows(seed = SEED): () => Batch {
  let reads = 0
  return () => new ShuffledBatch(() => seed + reads++)
}

class ShuffledBatch extends Batch {
  constructor(private readonly nextSeed: () => number) {
    super()
  }

  override async add<Row>(statement: Statement, values: unknown[]): Promise<Row[]> {
    const rows = await super.add<Row>(statement, values)
    return isOrdered(statement) ? rows : shuffle(rows, this.nextSeed())
  }
}

const ordered = new Map<string, boolean>()

/** Returns whether a statement orders its own rows, not only those of subqueries. */
function isOrdered({ name, text }: Statement): boolean {
  const known = ordered.get(name)
  if (known !== undefined) return known
  let outer = text.replace(/--.*/g, '')
  for (let before = ''; before !== outer; ) {
    before = outer
    outer = outer.replace(/\([^()]*\)/g, '')
  }
  const found = /\border\s+by\b|^\s*explain\b/i.test(outer)
  ordered.set(name, found)
  return found
}

/** Sorts by a hash of the seed and the position. */
function shuffle<Row>(rows: readonly Row[], seed: number): Row[] {
  const hash = (i: number) => {
    const mixed = Math.imul(i + 1, 0x9e3779b1) ^ Math.imul(seed, 0x85ebca6b)
    return Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35) >>> 0
  }
  return rows
    .map((row, i) => ({ row, hash: hash(i) }))
    .sort((a, b) => a.hash - b.hash)
    .map(({ row }) => row)
}
