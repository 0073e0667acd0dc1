/** The manifest of an export: what its files contain. It is written last, so that an export without one is incomplete. */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../operator-error'

export const MANIFEST = 'manifest.json'

/** The version of the form of the files: `since` of each file says from which one on it belongs to an export. */
export const FORMAT = 5

export interface ExportedFile {
  name: string
  rows: number
  /** The size of the compressed file. */
  bytes: number
  /** In hexadecimal digits. */
  sha256: string
}

export interface Manifest {
  format: number
  /** The version of the program that wrote the export. */
  version: string
  /** RFC 3339 in UTC. */
  exported_at: string
  files: ExportedFile[]
}

/**
 * Reads the manifest of a folder.
 *
 * @param namesOf returns the files that it must list, by its format
 * @throws OperatorError NOT_AN_EXPORT, EXPORT_DAMAGED, or EXPORT_NEWER where this version cannot read it
 */
export function readManifest(folder: string, namesOf: (format: number) => readonly string[]): Manifest {
  const path = join(folder, MANIFEST)
  if (!existsSync(path)) {
    throw new OperatorError('NOT_AN_EXPORT', `${folder} has no ${MANIFEST}: it is not a complete export`)
  }
  const manifest = parse(path)
  if (!(Number(manifest?.format) > 0) || !Array.isArray(manifest?.files)) throw damaged(`${path} is damaged`)
  if (manifest.format > FORMAT) {
    const reason = `${folder} was exported by a later version (${manifest.version}), in format ${manifest.format}`
    throw new OperatorError('EXPORT_NEWER', `${reason}; this version reads formats up to ${FORMAT}: use that one`)
  }
  const names = namesOf(manifest.format)
  const missing = names.find(name => !manifest.files.some(file => file?.name === name))
  if (missing !== undefined) throw damaged(`${path} is damaged: it does not list ${missing}`)
  return { ...manifest, files: manifest.files.filter(({ name }) => names.includes(name)) }
}

function parse(path: string): Manifest {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw damaged(`${path} is damaged: it is no JSON`)
  }
}

/** Compares the files of a folder with its manifest. @throws OperatorError EXPORT_DAMAGED, with the name of the file */
export async function verifyFiles(folder: string, { files }: Manifest): Promise<void> {
  for (const { name, sha256 } of files) {
    const path = join(folder, name)
    if (!existsSync(path)) throw damaged(`${path} is missing`)
    const hash = createHash('sha256')
    for await (const chunk of createReadStream(path)) hash.update(chunk)
    if (hash.digest('hex') !== sha256) throw damaged(`${path} is damaged: it is not the file that was exported`)
  }
}

const damaged = (reason: string): OperatorError =>
  new OperatorError('EXPORT_DAMAGED', `${reason}; nothing was imported`)
