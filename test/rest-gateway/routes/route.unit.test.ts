import type { RouteRecord } from '../../../rest-gateway/record'
import { compileRoute } from '../../../rest-gateway/request'
import { partnerRoutes } from '../../../rest-gateway/routes/all-routes'

const recordOf = (operation: string) => partnerRoutes.find(route => route.operation === operation) as RouteRecord

describe('a record does not compile if its query', () => {
  test.each([
    [
      'selects a field that does not exist',
      { ...recordOf('ReadMeta'), query: 'query ReadMeta { meta { colour } }' },
      'Cannot query field',
    ],
    [
      'has another operation name',
      { ...recordOf('ReadMeta'), query: 'query Other { meta { version } }' },
      'another operation name',
    ],
    ['has a variable without a parameter', { ...recordOf('ReadAsset'), parameters: [] }, 'are not its parameters'],
  ])('%s', (_, record, message) => {
    expect(() => compileRoute(record)).toThrow(message)
  })
})
