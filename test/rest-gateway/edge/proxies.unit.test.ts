import type { Socket } from 'node:net'
import { Proxies, readAddress } from '../../../rest-gateway/edge/proxies'

const proxies = new Proxies(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32', '::ffff:198.18.0.0/112'])

const PROXY = '10.1.2.3'
const CLIENT = '203.0.113.9'
const ENDLESS = '10.0.0.1, '.repeat(3_000)

test.each<readonly [remote: string, forwardedFor: string, client: string]>([
  // The last address that is no proxy.
  [PROXY, CLIENT, CLIENT],
  [PROXY, `invented, ${CLIENT}, 192.0.2.1`, CLIENT],
  [PROXY, `203.0.113.8,${CLIENT} ,\t192.0.2.1`, CLIENT],
  ['::ffff:10.1.2.3', '2001:db8::1, 2a00::1, 2001:db8::2', '2a00::1'],
  ['198.18.0.1', CLIENT, CLIENT],
  [PROXY, '', PROXY],
  [PROXY, '10.9.9.9', '10.9.9.9'],
  // The same address in other forms.
  [PROXY, `${CLIENT}:50123`, CLIENT],
  [PROXY, `[::FFFF:${CLIENT}]:50123`, CLIENT],
  [PROXY, '[2a00::1]', '2a00::1'],
  // No further than any chain of proxies goes.
  [PROXY, ENDLESS + CLIENT, CLIENT],
  [PROXY, `${CLIENT}, ${ENDLESS}10.0.0.2`, '10.0.0.1'],
  // The proxy that names no address counts as the client.
  ...[', unknown', ',', ', ,', ', 10.0.0.300', ', 10.0.0.0/8', ', [10.0.0.1', '; 10.0.0.1'].map(
    end => [PROXY, CLIENT + end, PROXY] as const,
  ),
  // Nobody else is believed.
  [CLIENT, '198.51.100.1', CLIENT],
])('the client behind %s with X-Forwarded-For (%#) is known', (remote, forwardedFor, client) => {
  expect(proxies.findClient(remote, forwardedFor)).toBe(client)
  expect(readAddress({ remoteAddress: `::ffff:${CLIENT}` } as Socket)).toBe(CLIENT)
})
