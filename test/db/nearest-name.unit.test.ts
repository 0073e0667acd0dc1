import { nearestName } from '../../db/nearest-name'

const NAMES = ['Acme Outdoor', 'Acorn Media', 'Borealis', 'SN-1001', 'SN-1002', 'Zürich HB', 'Acorn', 'limit', 'region']

test.each([
  ['Acme', 'Acme Outdoor'],
  ['Acme Outdoor GmbH', 'Acme Outdoor'],
  ['Acron', 'Acorn'],
  ['limti', 'limit'],
  ['sn1002', 'SN-1002'],
  ['Zurich HB', 'Zürich HB'],
])('the name nearest to %s is %s', (name, nearest) => {
  expect(nearestName(name, NAMES)).toBe(nearest)
})

test.each(['Omega', '', 'x', '!!', 'a'.repeat(10_000), 'Borealis', 'SN-1003', 'Borealis 2'])(
  'no name is near to %j',
  name => {
    expect(nearestName(name, NAMES)).toBeUndefined()
  },
)
