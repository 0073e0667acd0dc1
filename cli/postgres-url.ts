/** Connection URLs of PostgreSQL, with the parameters for TLS in the meaning of libpq (`psql`, `pg_dump`). */
import { accessSync, constants } from 'node:fs'

const MODES = ['disable', 'require', 'verify-ca', 'verify-full']

/**
 * Reads a connection URL, which may list several hosts as in libpq: `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME`.
 *
 * @returns the URL of each host for the pg driver
 * @throws Error with what was expected, without any part of the URL but file names
 */
export function readPostgresUrls(text: string): string[] {
  const [, start = '', hosts = '', rest = ''] = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(text) ?? []
  const urls = hosts.split(',').map(host => start + host + rest)
  if (urls.length > 1 && (hosts.split(',').includes('') || new Set(urls).size < urls.length)) {
    throw new Error('a URL that names each host once: postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE')
  }
  if (start === '' || !urls.every(url => URL.canParse(url))) {
    throw new Error('a URL of the form postgres://USER:PASSWORD@HOST:PORT/DATABASE')
  }
  const { searchParams } = new URL(urls[0]!)
  const mode = searchParams.get('sslmode')
  if (mode === null) return urls
  if (!MODES.includes(mode)) throw new Error(`a URL whose sslmode is one of ${MODES.join(', ')}`)
  if (mode === 'verify-ca' && !searchParams.has('sslrootcert')) {
    throw new Error('a URL with sslrootcert, the file of the authority that sslmode=verify-ca trusts')
  }
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = searchParams.get(name)
    try {
      if (file !== null) accessSync(file, constants.R_OK)
    } catch {
      throw new Error(`a URL whose ${name} can be read: ${file}`)
    }
  }
  // Without this parameter pg treats every mode but disable as verify-full, and prints a warning at every start.
  return urls.map(url => `${url}&uselibpqcompat=true`)
}
