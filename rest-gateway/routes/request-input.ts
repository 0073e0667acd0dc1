/** The parameters of a request, parsed into the variables of its route's query. */
import type { Cursors } from './cursors'
import type { EnvelopeRequest } from './envelopes'
import { single } from './params'
import type { Route } from './record'

const NO_QUERY = new URLSearchParams()

export class RequestInput implements EnvelopeRequest {
  readonly variables: Record<string, unknown> = {}
  /** The error of the first invalid parameter. It is reported once the key is known to be valid. */
  readonly error: unknown
  private readonly query: URLSearchParams

  constructor(
    private readonly route: Route,
    readonly cursors: Cursors,
    private readonly path: Record<string, string>,
    query: string,
  ) {
    this.query = query === '' ? NO_QUERY : new URLSearchParams(query)
    try {
      for (const parameter of route.parameters) {
        const { name } = parameter
        const text = parameter.in === 'path' ? path[name] : single(name, this.query.getAll(name))
        this.variables[name] = parameter.parse(text, this)
      }
    } catch (error) {
      this.error = error
    }
  }

  /** What a cursor is bound to: the list with everything that narrows it, which is all but the page itself. */
  get list(): string {
    const { route, path, query } = this
    const filters = route.parameters
      .filter(({ name }) => name !== 'limit' && name !== 'cursor')
      .map(({ name }) => [name, path[name] ?? query.get(name)])
    return JSON.stringify([route.operation, filters])
  }
}
