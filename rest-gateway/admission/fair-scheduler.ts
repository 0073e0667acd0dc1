/**
 * Whose turn it is: so many requests are worked on at once, and when one is done it is the next caller's turn, whoever
 * that is. A caller with a hundred requests waits for his own; who has one is served between them: while there are others
 * no caller has more than a share of all turns, the fewer the longer each takes, and a crowd has one at a time and rests
 * between them, the longer the more of it waits. A crowd is told by the time that its waiting requests would take: a hundred
 * small ones are none.
 */
import { ApiError } from '../../schema/errors'

/** By how much the event loop may lag, in milliseconds, without less being taken on. */
const COMFORTABLE_MS = 2

/**
 * How long the turns that a caller has at once may take, one after the other, while there are others: so long each step of
 * theirs may wait. One who asks for much has no less of it for having one turn at a time.
 */
const AT_ONCE_MS = 10

/** A caller whose waiting requests would take longer, one after the other, is a crowd. */
const CROWD_MS = 100

/**
 * How long a crowd rests after a turn whose waiting requests would take as long as one may wait, in times of that; with half
 * as many waiting an eighth of it: fifty requests at once hardly feel it, a thousand do.
 */
const REST = 3
const LONGEST_REST_MS = 500

/** How long the turns of a caller last is the mean of the last ones, about so many: few, as what made one long may be over. */
const TURNS_MEANT = 2

/** What is asked for, by how well one of it tells how long the next one takes. */
export interface Kind {
  /** The part of all turns that one caller may have while there are others; one turn at least. */
  share: number
  /** How many times as long as the last ones the next may take. */
  doubt: number
}

/** Requests for what is fixed, which take about as long each as the other. */
const FIXED: Kind = { share: 1 / 2, doubt: 1 }

/** Queries that nobody has fixed: any of them may take long, and hold up all others as long as it does. */
export const FREE: Kind = { share: 0, doubt: 30 }

/** So long a caller is reckoned with who has nothing under way. */
const PRESENT_MS = 2_000

type Come = () => void

/** Ends a turn. */
export type End = () => void

/** What a caller has under way. */
interface Caller {
  kind: Kind
  isCrowd: boolean
  working: number
  /** How long his turns last, one after the other, in milliseconds. */
  lasts: number
  waiting: Come[]
  /** When his last turn began, or ended. */
  seen: number
  /** What ends his rest, while he has one. */
  rest: NodeJS.Timeout | undefined
}

export class FairScheduler {
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
   * Waits for a turn.
   *
   * @param name of the caller, who asks for one kind of thing
   * @throws ApiError UNAVAILABLE when it does not come in time
   */
  async take(name: string, kind = FIXED): Promise<End> {
    const caller = this.callers.get(name) ?? {
      kind,
      isCrowd: false,
      working: 0,
      lasts: 0,
      waiting: [],
      seen: 0,
      rest: undefined,
    }
    this.callers.set(name, caller)
    if (caller.waiting.length === 0 && this.mayWork(caller)) return this.begin(caller)
    return new Promise((resolve, reject) => {
      const patience = setTimeout(
        () => {
          this.leave(caller, come)
          reject(new ApiError('UNAVAILABLE'))
        },
        // Those who came all at once had better not be sent away all at once.
        this.patienceMs * (1 + Math.random() / 3),
      )
      const come = () => {
        clearTimeout(patience)
        resolve(this.begin(caller))
      }
      caller.waiting.push(come)
      this.queue.add(caller)
      this.reckon(caller)
    })
  }

  /** @param beside how many he had when it began, with this one */
  private end(caller: Caller, began: number, beside: number): void {
    const now = performance.now()
    // Those that he has at once take longer for that, each of them.
    const lasted = (now - began) / Math.max(beside, caller.working)
    caller.lasts += (lasted - caller.lasts) / TURNS_MEANT
    this.working--
    caller.working--
    this.reckon(caller)
    if (this.givesWay(caller)) this.letRest(caller)
    caller.seen = now
    this.fill()
  }

  private letRest(caller: Caller): void {
    const ms = REST * this.patienceMs * (backlogOf(caller) / this.patienceMs) ** 3
    clearTimeout(caller.rest)
    caller.rest = setTimeout(
      () => {
        caller.rest = undefined
        this.fill()
      },
      Math.min(ms, LONGEST_REST_MS),
    )
  }

  /** Gives away what turns there are. */
  private fill(): void {
    for (let caller = this.next(); caller; caller = this.next()) {
      const [come] = caller.waiting as [Come]
      // Behind all others.
      this.queue.delete(caller)
      this.queue.add(caller)
      this.leave(caller, come)
      come()
    }
  }

  private next(): Caller | undefined {
    for (const caller of this.queue) if (this.mayWork(caller)) return caller
    return undefined
  }

  private begin(caller: Caller): End {
    const began = performance.now()
    const beside = ++caller.working
    caller.seen = began
    this.working++
    return () => this.end(caller, began, beside)
  }

  /** One request of a caller waits no longer. */
  private leave(caller: Caller, come: Come): void {
    caller.waiting.splice(caller.waiting.indexOf(come), 1)
    if (caller.waiting.length === 0) this.queue.delete(caller)
    this.reckon(caller)
  }

  /** Looks whether a caller is a crowd. */
  private reckon(caller: Caller): void {
    const isCrowd = backlogOf(caller) > CROWD_MS
    this.crowds += Number(isCrowd) - Number(caller.isCrowd)
    caller.isCrowd = isCrowd
  }

  private mayWork(caller: Caller): boolean {
    if (this.working >= this.atOnce) return false
    if (this.givesWay(caller)) return caller.working === 0 && !caller.rest
    if (this.callers.size === 1) return true
    const most = Math.min(this.atOnce * caller.kind.share, AT_ONCE_MS / caller.lasts)
    return caller.working < Math.max(1, Math.floor(most))
  }

  /** Whether a caller is a crowd beside others who are none. */
  private givesWay({ isCrowd }: Caller): boolean {
    return isCrowd && this.crowds < this.callers.size
  }
}

/** How long the waiting requests of a caller may take, one after the other, in milliseconds. */
const backlogOf = ({ kind, waiting, lasts }: Caller): number => waiting.length * lasts * kind.doubt
