/** The hosts of connection URLs. */

const DEFAULT_PORT = 5432

/** Returns the host of a URL with its port. */
export function hostOf(url: string): string {
  const { hostname, port } = new URL(url)
  return `${hostname}:${port || DEFAULT_PORT}`
}

/** Returns the same login and database on the host of another URL. */
export function moveToHost(url: string, other: string): string {
  const { hostname, port } = new URL(other)
  return Object.assign(new URL(url), { hostname, port }).href
}

/** Returns a URL, followed by the same login and database on the other hosts of a list, if there are several. */
export function onEachHost(url: string, hosts: readonly string[]): string[] {
  if (hosts.length === 1) return [url]
  return [url, ...hosts.filter(host => hostOf(host) !== hostOf(url)).map(host => moveToHost(url, host))]
}
