/** The address of a PostgreSQL as an operator gives it, TLS included: what `psql` and `pg_dump` take, with the same meaning. */
import { accessSync, constants } from 'node:fs'

const MODES = ['disable', 'require', 'verify-ca', 'verify-full']

/**
 * Reads a URL of libpq's.
 *
 * @returns the URL as our driver takes it, or what is wrong with it, which repeats nothing of it but file names
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
  // Without this our driver takes each mode but disable for verify-full, and says so on stderr at every start.
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
