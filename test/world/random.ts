/** Random choices that a seed repeats. */
export class Random {
  constructor(private seed: number) {}

  /** Returns a number from 0 to below 1 (mulberry32). */
  next(): number {
    this.seed = (this.seed + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.seed ^ (this.seed >>> 15), 1 | this.seed)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<Each>(list: readonly Each[]): Each {
    if (list.length === 0) throw new RangeError('nothing to choose from')
    return list[this.below(list.length)]!
  }

  /** Returns up to `count` different items. */
  sample<Each>(list: readonly Each[], count: number): Each[] {
    return list
      .map(each => ({ each, order: this.next() }))
      .sort((a, b) => a.order - b.order)
      .slice(0, count)
      .map(({ each }) => each)
  }

  weighted<Name extends string>(weights: Record<Name, number>): Name {
    const entries = Object.entries<number>(weights)
    let at = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [name, weight] of entries) {
      at -= weight
      if (at < 0) return name as Name
    }
    return entries[0]![0] as Name
  }
}
