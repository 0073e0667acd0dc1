import type { Socket } from 'node:net'
import { Proxies, readAddress } from '../../../rest-gateway/edge/proxies'

const proxies = new Proxies(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32', '::ffff:198.18.0.0/112'])

test('the client behind trusted proxies is the last address that is none of them', () => {
  for (const [remote, forwardedFor, client] of [
    ['10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['10.1.2.3', 'invented, 203.0.113.9, 192.0.2.1', '203.0.113.9'],
    ['10.1.2.3', '203.0.113.8,203.0.113.9 ,\t192.0.2.1', '203.0.113.9'],
    ['::ffff:10.1.2.3', '2001:db8::1, 2a00::1, 2001:db8::2', '2a00::1'],
    ['198.18.0.1', '203.0.113.9', '203.0.113.9'],
    ['10.1.2.3', '', '10.1.2.3'],
    ['10.1.2.3', '10.9.9.9', '10.9.9.9'],
  ] as const)
    expect(proxies.findClient(remote, forwardedFor)).toBe(client)
})

test('an address counts as the same client with a port, in brackets, and mapped to IPv6', () => {
  for (const forwardedFor of ['203.0.113.9:50123', '::ffff:203.0.113.9', '[::FFFF:203.0.113.9]:50123'])
    expect(proxies.findClient('10.1.2.3', forwardedFor)).toBe('203.0.113.9')
  for (const forwardedFor of ['2a00::1', '[2a00::1]', '[2a00::1]:50123'])
    expect(proxies.findClient('10.1.2.3', forwardedFor)).toBe('2a00::1')
  expect(readAddress({ remoteAddress: '::ffff:203.0.113.9' } as Socket)).toBe('203.0.113.9')
  expect(readAddress({ remoteAddress: '2a00::1' } as Socket)).toBe('2a00::1')
})

test.each([
  'unknown',
  '203.0.113.9, unknown',
  '203.0.113.9,',
  '203.0.113.9, ,',
  '203.0.113.9, 10.0.0.300',
  '203.0.113.9, 10.0.0.0/8',
  '203.0.113.9, [10.0.0.1',
  '203.0.113.9; 10.0.0.1',
])('where X-Forwarded-For %j names no address, the proxy counts as the client', forwardedFor => {
  expect(proxies.findClient('10.1.2.3', forwardedFor)).toBe('10.1.2.3')
})

test('an endless X-Forwarded-For is read from the right only, and no further than any chain of proxies goes', () => {
  const endless = '10.0.0.1, '.repeat(3_000)
  expect(proxies.findClient('10.1.2.3', `${endless}203.0.113.9`)).toBe('203.0.113.9')
  expect(proxies.findClient('10.1.2.3', `203.0.113.9, ${endless}10.0.0.2`)).toBe('10.0.0.1')
})

test('X-Forwarded-For of anybody else is ignored', () => {
  expect(proxies.findClient('203.0.113.9', '198.51.100.1')).toBe('203.0.113.9')
  expect(new Proxies([]).findClient('10.1.2.3', '198.51.100.1')).toBe('10.1.2.3')
})

test.each([
  '',
  'proxy',
  '10.0.0.0/33',
  '10.0.0.0/',
  '10.0.0.0/x',
  '10.0.0.0/0x8',
  '10.0.0.0/ 8',
  '10.0.0.0/8/8',
  '2001:db8::/129',
  '10.0.0',
])('%j is no network', text => {
  expect(() => new Proxies([text])).toThrow()
})
