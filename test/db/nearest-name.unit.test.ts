import { nearestName } from '../../db/nearest-name'

const NAMES = [
  'Acme Outdoor',
  'Acorn Media',
  'Borealis',
  'SN-1001',
  'SN-1002',
  'Zürich HB',
  'Acorn',
  'limit',
  'region',
  'clh3am8hi0000qwer1235tzui',
]

test.each([
  ['Acme', 'Acme Outdoor'],
  ['acme outdoor', 'Acme Outdoor'],
  ['Acme Outdoor GmbH', 'Acme Outdoor'],
  ['Borealsi', 'Borealis'],
  ['Acron', 'Acorn'],
  ['limti', 'limit'],
  ['regoin', 'region'],
  ['sn1002', 'SN-1002'],
  ['Zurich HB', 'Zürich HB'],
  ['clh3am8hi0000qwer1234tzui', 'clh3am8hi0000qwer1235tzui'],
])('the name nearest to %s is %s', (name, nearest) => {
  expect(nearestName(name, NAMES)).toBe(nearest)
})

test.each(['Omega', '', 'x', '!!', 'a'.repeat(10_000), 'Borealis', 'SN-1003', 'Borealis 2'])(
  'no name is near to %j',
  name => {
    expect(nearestName(name, NAMES)).toBeUndefined()
  },
)
