/** Progress bar on a terminal, and messages above it. */
import { MultiBar, type SingleBar } from 'cli-progress'
import type { Streams } from '../invocation'
import type { MessageLog } from '../text/message-log'
import { printableLine } from '../text/printable'

export class Progress {
  private bars: MultiBar | undefined
  private bar: SingleBar | undefined

  constructor(
    private readonly name: string,
    private readonly messages: MessageLog,
    private readonly terminal: Streams['stderr'],
  ) {}

  /** @param size total number of bytes; without it there is no bar */
  start(size: number | undefined): void {
    if (!this.terminal.isTTY || !size) return
    this.bars = new MultiBar({
      stream: this.terminal,
      format: '{name} [{bar}] {percentage}% {eta_formatted}',
      clearOnComplete: true,
      linewrap: true,
      gracefulExit: false,
    })
    this.bar = this.bars.create(size, 0, { name: printableLine(this.name) })
  }

  add(bytes: number): void {
    this.bar?.increment(bytes)
  }

  log(line: string): void {
    if (this.bars) this.bars.log(`${printableLine(line)}\n`)
    else this.messages.print(line)
  }

  stop(): void {
    this.bars?.update()
    this.bars?.stop()
    this.bars = undefined
    this.bar = undefined
  }
}
