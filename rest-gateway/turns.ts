/**
 * Whose turn it is: so many requests are worked on at once, and when one is done it is the next caller's turn, whoever
 * that is. A caller with a hundred requests waits for his own; who has one is served between them: while there are others
 * no caller has more than a share of all turns, and a crowd has one at a time and rests between them, the longer the more
 * of it waits.
 */
import { ApiError } from '../schema/errors'

/** By how much the event loop may lag, in milliseconds, without less being taken on. */
const COMFORTABLE_MS = 2

/** The rest after a turn of a crowd, in lengths of that turn, with as many waiting as make a crowd; with twice as many twice that. */
const REST = 8
const LONGEST_REST_MS = 500

/** What is asked for, by how long it may take. */
export interface Kind {
  /** The part of all turns that one caller may have while there are others; one turn at least. */
  share: number
  /** Who has more requests waiting is a crowd by himself, until none waits. */
  crowd: number
}

/** Requests for what is fixed, which take about as long each as the other. */
const FIXED: Kind = { share: 1 / 2, crowd: 32 }

/** Queries that nobody has fixed: any of them may take long. */
export const FREE: Kind = { share: 0, crowd: 2 }

/** So long a caller is reckoned with who has nothing under way. */
const PRESENT_MS = 2_000

type Come = () => void

/** What a caller has under way. */
interface Caller {
  kind: Kind
  isCrowd: boolean
  working: number
  waiting: Come[]
  /** When his last turn began, or ended. */
  seen: number
  isResting: boolean
}

export class Turns {
  private working = 0
  private atOnce: number
  /** Those who were there lately. */
  private readonly callers = new Map<string, Caller>()
  /** Those of them who wait, in the order of their turns. */
  private readonly queue = new Set<Caller>()
  /** How many of those who were there lately are a crowd. */
  private crowds = 0

  /**
   * @param most how many are worked on at once when the event loop keeps pace: no more than can have a connection
   * @param patienceMs how long a request may wait
   */
  constructor(
    private readonly most: number,
    private readonly patienceMs: number,
  ) {
    this.atOnce = most
  }

  /** How many requests wait. */
  get waiting(): number {
    let sum = 0
    for (const { waiting } of this.queue) sum += waiting.length
    return sum
  }

  /** Takes on less at once while the event loop lags, so that each step of a small request waits for few large ones. */
  adapt(delayMs: number): void {
    const isLate = delayMs > COMFORTABLE_MS
    this.atOnce = isLate ? Math.ceil(this.most / 2) : Math.min(this.most, this.atOnce + 1)
    const past = performance.now() - PRESENT_MS
    for (const [name, { working, waiting, seen }] of this.callers)
      if (working === 0 && waiting.length === 0 && seen < past) this.callers.delete(name)
    this.fill()
  }

  /**
   * Waits for a turn, which ends by `end`.
   *
   * @param name of the caller, who asks for one kind of thing
   * @throws ApiError UNAVAILABLE when it does not come in time
   */
  take(name: string, kind = FIXED): Promise<void> {
    const caller = this.callers.get(name) ?? {
      kind,
      isCrowd: false,
      working: 0,
      waiting: [],
      seen: 0,
      isResting: false,
    }
    this.callers.set(name, caller)
    if (caller.waiting.length === 0 && this.mayWork(caller)) {
      this.begin(caller)
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const patience = setTimeout(() => {
        this.leave(caller, come)
        reject(new ApiError('UNAVAILABLE'))
      }, this.patienceMs)
      const come = () => {
        clearTimeout(patience)
        resolve()
      }
      caller.waiting.push(come)
      this.queue.add(caller)
      if (caller.waiting.length > caller.kind.crowd && !caller.isCrowd) {
        caller.isCrowd = true
        this.crowds++
      }
    })
  }

  end(name: string): void {
    this.working--
    const caller = this.callers.get(name) as Caller
    caller.working--
    const now = performance.now()
    if (this.givesWay(caller)) {
      const lengths = (REST * caller.waiting.length) / caller.kind.crowd
      const ms = Math.min(lengths * (now - caller.seen), LONGEST_REST_MS)
      caller.isResting = true
      setTimeout(() => {
        caller.isResting = false
        this.fill()
      }, ms)
    }
    caller.seen = now
    this.fill()
  }

  /** Gives away what turns there are. */
  private fill(): void {
    for (let caller = this.next(); caller; caller = this.next()) {
      const [come] = caller.waiting as [Come]
      // Behind all others.
      this.queue.delete(caller)
      this.queue.add(caller)
      this.leave(caller, come)
      this.begin(caller)
      come()
    }
  }

  private next(): Caller | undefined {
    for (const caller of this.queue) if (this.mayWork(caller)) return caller
    return undefined
  }

  private begin(caller: Caller): void {
    caller.working++
    caller.seen = performance.now()
    this.working++
  }

  /** One request of a caller waits no longer. */
  private leave(caller: Caller, come: Come): void {
    caller.waiting.splice(caller.waiting.indexOf(come), 1)
    if (caller.waiting.length > 0) return
    this.queue.delete(caller)
    if (caller.isCrowd) this.crowds--
    caller.isCrowd = false
  }

  private mayWork(caller: Caller): boolean {
    if (this.working >= this.atOnce) return false
    if (this.givesWay(caller)) return caller.working === 0 && !caller.isResting
    return this.callers.size === 1 || caller.working < Math.max(1, Math.floor(this.atOnce * caller.kind.share))
  }

  /** Whether a caller is a crowd beside others who are none. */
  private givesWay({ isCrowd }: Caller): boolean {
    return isCrowd && this.crowds < this.callers.size
  }
}
