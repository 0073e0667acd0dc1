/** The reverse proxies in front of the service, whose X-Forwarded-For is trusted. */
import { BlockList, isIP, isIPv6 } from 'node:net'

export class Proxies {
  private readonly networks = new BlockList()

  /** @param networks addresses or CIDRs @throws Error if one is invalid */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = '', prefix] = network.split('/')
      const family = familyOf(address)
      if (prefix === undefined) this.networks.addAddress(address, family)
      else this.networks.addSubnet(address, prefix === '' ? Number.NaN : Number(prefix), family)
    }
  }

  includes(address: string): boolean {
    return isIP(address) !== 0 && this.networks.check(address, familyOf(address))
  }

  /**
   * Returns the address of the client behind the proxies, by the value of X-Forwarded-For: the last one that is no
   * proxy.
   */
  findClient(remoteAddress: string, forwardedFor: string): string {
    if (forwardedFor === '') return remoteAddress
    const forwarded = forwardedFor.split(',').map(address => address.trim())
    let client = remoteAddress
    while (this.includes(client)) {
      const previous = forwarded.pop()
      if (previous === undefined || isIP(previous) === 0) break
      client = previous
    }
    return client
  }
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')
