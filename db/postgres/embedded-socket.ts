/**
 * Connections to the embedded PostgreSQL, which may listen on another port after a restart: each connection looks up the
 * port in the files of the cluster.
 */
import { Socket } from 'node:net'
import { findPostmaster } from '../embedded/postmaster'

/** The parameter of a URL with the directory of the embedded PostgreSQL. */
const PARAMETER = 'embedded_in'

/** Marks the URL as one of the embedded PostgreSQL in a directory. It has the port of the moment, for other clients. */
export const embeddedUrl = (url: string, home: string): string => `${url}&${PARAMETER}=${encodeURIComponent(home)}`

/** Returns the directory of the embedded PostgreSQL; undefined for the URL of another one. */
export function embeddedHome(url: string): string | undefined {
  const [, home] = new RegExp(`[?&]${PARAMETER}=([^&]*)`).exec(url) ?? []
  return home === undefined ? undefined : decodeURIComponent(home)
}

/** A socket that connects to the postmaster of a cluster, whatever port is requested. */
export class EmbeddedSocket extends Socket {
  constructor(private readonly home: string) {
    super()
  }

  // pg connects with a port and a host.
  override connect(_: unknown, host?: unknown): this {
    const postmaster = findPostmaster(this.home)
    // Its former port may belong to another program, which must not receive a password.
    if (postmaster) return super.connect(postmaster.port, host as string)
    return this.destroy(Object.assign(new Error('PostgreSQL is not running'), { code: 'ECONNREFUSED' }))
  }
}
