/** Paths by what answers them. One segment of a path may be a parameter, as in `/assets/{id}/sensors`. */
export class Paths<Answer> {
  private readonly plain = new Map<string, Answer>()
  /** Those with a parameter: by what stands before it, then by what stands behind. */
  private readonly patterns = new Map<string, Map<string, Pattern<Answer>>>()

  /** @throws Error where a path is there already, or has more than one parameter */
  add(path: string, answer: Answer): void {
    const [before = '', name, after = '', ...more] = path.split(/\{(\w+)\}/)
    if (more.length > 0) throw new Error(`${path} has more than one parameter`)
    const behind = this.patterns.get(before) ?? new Map<string, Pattern<Answer>>()
    if (this.plain.has(path) || (name && behind.has(after))) throw new Error(`${path} is answered twice`)
    if (!name) return void this.plain.set(path, answer)
    this.patterns.set(before, behind.set(after, { name, answer }))
  }

  /**
   * What answers a path, and its parameter, decoded; undefined where nothing does. What a parameter could stand for as
   * well is found as it is written.
   *
   * @param path whose percent-encoding is proper
   */
  find(path: string): { answer: Answer; parameters: Record<string, string> } | undefined {
    const answer = this.plain.get(path)
    if (answer !== undefined) return { answer, parameters: {} }
    for (const [before, behind] of this.patterns) {
      if (!path.startsWith(before)) continue
      const slash = path.indexOf('/', before.length)
      const end = slash < 0 ? path.length : slash
      const found = end > before.length ? behind.get(path.slice(end)) : undefined
      if (!found) continue
      const value = path.slice(before.length, end)
      return {
        answer: found.answer,
        parameters: { [found.name]: value.includes('%') ? decodeURIComponent(value) : value },
      }
    }
    return undefined
  }
}

interface Pattern<Answer> {
  name: string
  answer: Answer
}
