/** The folder of a backup. Nobody else may read it, because hashes of keys and the secret of cursors are in it. */
import {
  createWriteStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  type WriteStream,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDirectory } from '../make-directory'
import { OperatorError } from '../operator-error'

export class ExportFolder {
  /** Has the files until the export is complete. A process that was killed may leave it behind. */
  private readonly partial: string

  /**
   * @param path of a folder that is new or empty
   * @throws OperatorError FOLDER_NOT_EMPTY, FOLDER_UNUSABLE
   */
  constructor(private readonly path: string) {
    this.partial = explain(path, () => {
      makeDirectory(dirname(path), 0o700)
      const [file] = existsSync(path) ? readdirSync(path) : []
      if (file !== undefined) {
        throw new OperatorError('FOLDER_NOT_EMPTY', `${path} has files (${file}): give an empty folder, or a new one`)
      }
      // It can only be replaced where it could be removed, which is known now.
      if (existsSync(path)) rmdirSync(path)
      return mkdtempSync(`${path}.partial-`)
    })
  }

  open(name: string): WriteStream {
    return createWriteStream(join(this.partial, name), { flags: 'wx', mode: 0o600, flush: true })
  }

  /** Gives the folder its name. */
  complete(): void {
    explain(this.path, () => renameSync(this.partial, this.path))
  }

  /** Deletes what was written, unless the export is complete. */
  discard(): void {
    rmSync(this.partial, { recursive: true, force: true })
  }
}

function explain<Result>(path: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const reason = `${path} cannot be written to: ${(error as Error).message}`
    throw new OperatorError('FOLDER_UNUSABLE', `${reason}: give a new folder in one that this account may write to`)
  }
}
