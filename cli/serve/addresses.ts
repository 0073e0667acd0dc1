/** The address of the service for clients on this machine, or on another one. */

/**
 * Returns the URL at which a service can be reached: one that listens on all addresses, on the loopback address.
 *
 * @param host the name of its machine, if it is another one than this
 */
export function reachableUrl(text: string, host?: string): string {
  const url = new URL(text)
  if (url.hostname === '0.0.0.0') url.hostname = host ?? '127.0.0.1'
  if (url.hostname === '[::]') url.hostname = host ?? '[::1]'
  return url.origin
}
