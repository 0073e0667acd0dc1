/** What answers a path. */
import { Paths } from '../../../rest-gateway/routes/paths'

const paths = new Paths<string>()
paths.add('/assets', 'all')
paths.add('/assets/{id}', 'one')
paths.add('/assets/{id}/days', 'its days')
paths.add('/assets/aggregate', 'their sum')
paths.add('/sensors/{id}', 'a sensor')

test('a path is found as it is written, before one with a parameter that fits', () => {
  expect(paths.find('/assets')).toEqual({ answer: 'all', parameters: {} })
  expect(paths.find('/assets/aggregate')).toEqual({ answer: 'their sum', parameters: {} })
  expect(paths.find('/assets/aggregate/days')).toEqual({ answer: 'its days', parameters: { id: 'aggregate' } })
})

test('a parameter is one segment, decoded', () => {
  expect(paths.find('/assets/a%2Fb%20c')).toEqual({ answer: 'one', parameters: { id: 'a/b c' } })
  expect(paths.find('/sensors/7/')).toBeUndefined()
  expect(paths.find('/sensors/7/8')).toBeUndefined()
})

test.each([
  '',
  '/',
  '/asset',
  '/assets/',
  '/assets//days',
  '/Assets',
  '/assets/1/days/',
  '/assets/1/nights',
  '/sensors',
])('nothing answers %j', path => {
  expect(paths.find(path)).toBeUndefined()
})

test('a path that is answered already, or has two parameters, is a mistake', () => {
  expect(() => paths.add('/assets', 'again')).toThrow('twice')
  expect(() => paths.add('/assets/{other}/days', 'again')).toThrow('twice')
  expect(() => paths.add('/assets/{id}/sensors/{sensor}', 'both')).toThrow('more than one parameter')
})
