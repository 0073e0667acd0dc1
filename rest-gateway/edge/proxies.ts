/** The reverse proxies in front of the service, whose X-Forwarded-For is trusted. */
import { BlockList, isIP, isIPv6, type Socket } from 'node:net'
import type { KoaContext } from '../state'

/** Addresses of X-Forwarded-For that are read, from the right. No chain of proxies is as long. */
const MAX_HOPS = 16

export class Proxies {
  private readonly networks = new BlockList()

  /** @param networks addresses or CIDRs @throws Error if one is invalid */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(network) ?? []
      if (prefix === undefined) this.networks.addAddress(address, familyOf(address))
      else this.networks.addSubnet(address, Number(prefix), familyOf(address))
    }
  }

  includes(address: string): boolean {
    return isIP(address) !== 0 && this.networks.check(address, familyOf(address))
  }

  /**
   * Returns the address of the client behind the proxies, by the value of X-Forwarded-For: the last one that is no
   * proxy. Where something else than an address comes before that, the proxy that sent it counts as the client.
   */
  findClient(remoteAddress: string, forwardedFor: string): string {
    let client = remoteAddress
    let end = forwardedFor.length
    for (let hop = 0; hop < MAX_HOPS && end > 0 && this.includes(client); hop++) {
      const start = forwardedFor.lastIndexOf(',', end - 1) + 1
      const previous = parseAddress(forwardedFor.slice(start, end))
      if (previous === undefined) break
      client = previous
      end = start - 1
    }
    return client
  }
}

export const findClient = (ctx: KoaContext, proxies: Proxies): string =>
  proxies.findClient(readAddress(ctx.socket), ctx.get('X-Forwarded-For'))

/** Returns the remote address; empty where the connection has been closed already. */
export const readAddress = ({ remoteAddress = '' }: Socket): string => parseAddress(remoteAddress) ?? ''

/** Reads an address, which may have a port. IPv4 that is mapped to IPv6 becomes IPv4: a client has one address only. */
function parseAddress(text: string): string | undefined {
  const [, bracketed, plain] = /^\s*(?:\[([\da-f:.]+)\](?::\d+)?|([\d.]+):\d+)\s*$/i.exec(text) ?? []
  const address = (bracketed ?? plain ?? text.trim()).replace(/^::ffff:(?=[\d.]+$)/i, '')
  return isIP(address) === 0 ? undefined : address
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')
