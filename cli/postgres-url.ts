/** Connection URLs of PostgreSQL, with the parameters for TLS in the meaning of libpq (`psql`, `pg_dump`). */
import { accessSync, constants } from 'node:fs'

const MODES = ['disable', 'require', 'verify-ca', 'verify-full']

/**
 * Reads a connection URL.
 *
 * @returns the URL for the pg driver, or what was expected, without any part of the URL but file names
 */
export function readPostgresUrl(text: string): { url: string } | { expected: string } {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) {
    return { expected: 'a URL of the form postgres://USER:PASSWORD@HOST:PORT/DATABASE' }
  }
  const { searchParams } = new URL(text)
  const mode = searchParams.get('sslmode')
  if (mode === null) return { url: text }
  if (!MODES.includes(mode)) return { expected: `a URL whose sslmode is one of ${MODES.join(', ')}` }
  if (mode === 'verify-ca' && !searchParams.has('sslrootcert')) {
    return { expected: 'a URL with sslrootcert, the file of the authority that sslmode=verify-ca trusts' }
  }
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = searchParams.get(name)
    if (file !== null && !isReadable(file)) return { expected: `a URL whose ${name} can be read: ${file}` }
  }
  // Without this parameter pg treats every mode but disable as verify-full, and prints a warning at every start.
  return { url: `${text}&uselibpqcompat=true` }
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch {
    return false
  }
}
