/** The folder of an export. Nobody else may read it, because hashes of keys are in it. */
import { chmodSync, createWriteStream, readdirSync, renameSync, rmdirSync, rmSync, type WriteStream } from 'node:fs'
import { join } from 'node:path'
import { makeDirectory } from '../make-directory'
import { OperatorError } from '../operator-error'

/** The extension of files until the export is complete. A process that was killed may leave them behind. */
const PARTIAL = '.partial'

export class ExportFolder {
  private readonly names: string[] = []
  private readonly isNew: boolean
  private isOpen = true

  /**
   * Creates the folder, or takes an empty one.
   *
   * @throws OperatorError FOLDER_NOT_EMPTY, FOLDER_UNUSABLE
   */
  constructor(private readonly path: string) {
    this.isNew = explain(path, () => makeDirectory(path, 0o700))
    explain(path, () => {
      const [left, others] = [true, false].map(isLeft =>
        readdirSync(path).filter(each => each.endsWith(PARTIAL) === isLeft),
      )
      if (others?.length) {
        throw new OperatorError(
          'FOLDER_NOT_EMPTY',
          `${path} has files (${others[0]}): give an empty folder, or a new one`,
        )
      }
      for (const name of left ?? []) rmSync(join(path, name))
      chmodSync(path, 0o700)
    })
  }

  /** Opens a file, which gets its name when the export is complete. */
  open(name: string): WriteStream {
    if (!this.isOpen) throw new Error('the export was interrupted')
    this.names.push(name)
    return createWriteStream(join(this.path, name + PARTIAL), { flags: 'wx', mode: 0o600, flush: true })
  }

  /** Gives all files their names, in the order in which they were opened. */
  complete(): void {
    for (const name of this.names) renameSync(join(this.path, name + PARTIAL), join(this.path, name))
    this.isOpen = false
  }

  /** Deletes what was written, unless the export is complete. */
  discard(): void {
    if (!this.isOpen) return
    this.isOpen = false
    for (const name of this.names) rmSync(join(this.path, name + PARTIAL), { force: true })
    if (this.isNew) rmdirSync(this.path)
  }
}

function explain<Result>(path: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError('FOLDER_UNUSABLE', `${path} cannot be written to: ${(error as Error).message}`)
  }
}
