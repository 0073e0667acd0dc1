/** Records the days (UTC) on which keys are used: one write for each key, day and process. */
import { PeriodicWriter, type Writer, type WriterLog } from '../periodic-writer'

/** Locks keys in one order, so that processes that record at the same time cannot deadlock. */
const RECORD = `
  UPDATE api_keys k SET last_used_on = used.day
  FROM (
    SELECT known.id, used.day FROM unnest($1::date[], $2::text[]) AS used (day, key) JOIN api_keys known ON known.id = used.key
    WHERE known.last_used_on IS NULL OR known.last_used_on < used.day ORDER BY known.id FOR NO KEY UPDATE OF known
  ) used WHERE k.id = used.id`

export class KeyUses extends PeriodicWriter {
  private day = ''
  /** The keys that were used on `day`; not more than there are keys. */
  private recorded = new Set<string>()
  /** The days of those that were not written yet, by key. */
  private unwritten = new Map<string, string>()

  constructor(writer: Writer, log: WriterLog) {
    super(writer, log, 'uses of keys')
  }

  /**
   * @param key the id of a valid key
   * @param at milliseconds since 1970
   */
  record(key: string, at: number): void {
    const day = new Date(at).toISOString().slice(0, 10)
    if (day > this.day) {
      this.day = day
      this.recorded = new Set()
    }
    if (this.recorded.has(key)) return
    this.recorded.add(key)
    this.unwritten.set(key, this.day)
  }

  protected async write(): Promise<void> {
    if (this.unwritten.size === 0) return
    const batch = this.unwritten
    this.unwritten = new Map()
    try {
      await this.writer.query(RECORD, [[...batch.values()], [...batch.keys()]])
    } catch (error) {
      // Keys that were used meanwhile have a later day, or the same.
      this.unwritten = new Map([...batch, ...this.unwritten])
      throw error
    }
  }
}
