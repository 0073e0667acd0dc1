/** Recognises outages of the database from which the service does not recover by itself. */
import { findPostmaster } from '../embedded/postmaster'

/** A restart of the embedded PostgreSQL begins within this time, unless it fails. */
const MAX_RESTART_MS = 10_000

/** SQLSTATEs of connections: the login, the database or the right to connect is wrong. */
const REFUSED = /^(28|3D|42501)/

export class Outage {
  private refused = false
  private missingSince: number | undefined

  /** @param home the directory of the embedded PostgreSQL, if it is that */
  constructor(private readonly home: string | undefined) {}

  connected(): void {
    this.refused = false
  }

  /** @param error of a connection */
  failed(error: unknown): void {
    this.refused = REFUSED.test(String((error as { code?: unknown }).code ?? ''))
  }

  get isRefused(): boolean {
    return this.refused
  }

  /** Returns a sentence that describes the outage; undefined when there is none, or the service may recover. */
  describe(): string | undefined {
    if (this.refused) return 'The database refuses the login of the service.'
    if (this.home === undefined || findPostmaster(this.home)) {
      this.missingSince = undefined
      return undefined
    }
    this.missingSince ??= performance.now()
    if (performance.now() - this.missingSince < MAX_RESTART_MS) return undefined
    return 'The embedded PostgreSQL has stopped and could not be restarted.'
  }
}
