/**
 * The way of one reader's batches to the hosts. They stay on one host while it can be used. A batch that fails there, or would
 * read too old a state, is repeated on another host as a new batch; nothing of the failed one is used.
 */
import { AUTHENTICATE_ON_HOST, type PresentedKey } from '../authentication'
import type { Batch } from '../batch'
import { ConnectionError, isRetriable, ReplayConflictError } from '../errors'
import type { Transport } from '../scoped-reader'
import type { Hosts } from './hosts'

/** The row that a batch returns first. */
interface Authenticated {
  key: PresentedKey | null
  /** Whether the host had replayed what the batch requires; otherwise it has read nothing. */
  isCurrent: boolean
  isPrimary: boolean
}

export class HostSession implements Transport {
  readonly authentication = AUTHENTICATE_ON_HOST
  /** The hash of the key, the position that a replica must have replayed (null admits the primary alone), and the timeout. */
  readonly credentials: [hash: Buffer, required: number | null, statementTimeout: string]
  private last: number | undefined
  private needsPrimary = false
  private readonly rank: number

  /** @param timeLeft returns how long a batch may take, in milliseconds */
  constructor(
    private readonly hosts: Hosts,
    keyHash: Buffer,
    statementTimeout: string,
    private readonly timeLeft: () => number,
  ) {
    this.credentials = [keyHash, null, statementTimeout]
    this.rank = keyHash.readUInt32BE()
  }

  requirePrimary(): void {
    this.needsPrimary = true
  }

  replicated(): Promise<void> {
    return this.hosts.replicated()
  }

  async send(batch: Batch): Promise<number> {
    await this.hosts.asked
    const tried = new Set<number>()
    // A replica may not know a new key yet: the result stands if the primary does not contradict it.
    let refusal: Batch | undefined
    let attempt = batch
    for (let host = this.choose(tried); host !== undefined; host = this.choose(tried, refusal !== undefined)) {
      if (tried.size > 0) attempt = attempt.again()
      tried.add(host)
      await this.hosts.host(host).send(attempt, this.timeLeft())
      const outcome = this.assess(host, attempt)
      if (outcome === 'final') {
        this.last = host
        return attempt.deliver()
      }
      if (outcome === 'unknown key') refusal = attempt
    }
    if (refusal) return refusal.deliver()
    if (!attempt.error) {
      attempt = attempt.again()
      attempt.abort(new ConnectionError('UNAVAILABLE'))
    }
    return attempt.deliver()
  }

  private choose(tried: ReadonlySet<number>, onPrimary = this.needsPrimary): number | undefined {
    const { states } = this.hosts
    const now = performance.now()
    const required = states.required(now)
    this.credentials[1] = onPrimary || required === undefined ? null : required
    const primary = states.availablePrimary()
    const hosts = onPrimary ? (primary === undefined ? [] : [primary]) : states.order(this.rank, this.last, now)
    return hosts.find(host => !tried.has(host))
  }

  private assess(host: number, { error, firstRow }: Batch): 'final' | 'unknown key' | 'retry' {
    if (error) {
      if (!isRetriable(error)) return 'final'
      if (!(error instanceof ReplayConflictError)) void this.hosts.inquire(host)
      return 'retry'
    }
    const { key, isCurrent, isPrimary } = firstRow as Authenticated
    if (isCurrent) return key || isPrimary ? 'final' : 'unknown key'
    this.hosts.states.refused(host)
    return 'retry'
  }
}
