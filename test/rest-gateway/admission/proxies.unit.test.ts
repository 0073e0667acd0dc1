import { Proxies } from '../../../rest-gateway/admission/proxies'

const proxies = new Proxies(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32'])

test('the client behind trusted proxies is the last address that is none of them', () => {
  for (const [remote, forwardedFor, client] of [
    ['10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['10.1.2.3', 'invented, 203.0.113.9, 192.0.2.1', '203.0.113.9'],
    ['::ffff:10.1.2.3', '2001:db8::1, 2a00::1, 2001:db8::2', '2a00::1'],
    ['10.1.2.3', '', '10.1.2.3'],
    ['10.1.2.3', '10.9.9.9', '10.9.9.9'],
    ['10.1.2.3', '203.0.113.9, unknown', '10.1.2.3'],
  ] as const)
    expect(proxies.findClient(remote, forwardedFor)).toBe(client)
})

test('X-Forwarded-For of anybody else is ignored', () => {
  expect(proxies.findClient('203.0.113.9', '198.51.100.1')).toBe('203.0.113.9')
  expect(new Proxies([]).findClient('10.1.2.3', '198.51.100.1')).toBe('10.1.2.3')
})

test.each(['', 'proxy', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/x', '2001:db8::/129', '10.0.0'])(
  '%j is no network',
  text => {
    expect(() => new Proxies([text])).toThrow()
  },
)
