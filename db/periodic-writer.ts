/** Collects in memory what requests report, and writes it every few seconds, so that no request waits. */
import { setTimeout as sleep } from 'node:timers/promises'

/** A connection to the primary. */
export interface Writer {
  query(text: string, values: unknown[]): Promise<unknown>
}

export interface WriterLog {
  error(details: object, message: string): void
}

const FLUSH_MS = 2_000
const LAST_FLUSH_MS = 3_000

export abstract class PeriodicWriter {
  private writing: Promise<void> = Promise.resolve()
  private readonly timer: NodeJS.Timeout

  /** @param noun names what is written, in the log */
  constructor(
    protected readonly writer: Writer,
    protected readonly log: WriterLog,
    private readonly noun: string,
  ) {
    this.timer = setInterval(() => this.flush(), FLUSH_MS).unref()
  }

  /** Writes all that was collected so far. Does not throw. */
  flush(): Promise<void> {
    this.writing = this.writing.then(() =>
      this.write().catch(error =>
        this.log.error({ err: error }, `${this.noun} could not be written; they will be tried again`),
      ),
    )
    return this.writing
  }

  /** Writes the last ones, unless the database does not answer. */
  async close(): Promise<void> {
    clearInterval(this.timer)
    const written = this.flush().then(() => true)
    if (await Promise.race([written, sleep(LAST_FLUSH_MS, false, { ref: false })])) return
    this.log.error({}, `the last ${this.noun} could not be written: the database does not answer`)
  }

  /** Writes what was collected, and keeps it for the next time if it throws. */
  protected abstract write(): Promise<void>
}
