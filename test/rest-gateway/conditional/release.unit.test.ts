import { release } from '../../../rest-gateway/conditional/release'

test('a release has the same hash each time', () => {
  expect(release()).toMatch(/^[\w-]{43}$/)
  expect(release()).toBe(release())
})
