import { Cursors } from '../../../rest-gateway/read/cursors'
import { RequestInput } from '../../../rest-gateway/read/request-input'
import type { RouteRecord } from '../../../rest-gateway/record'
import { compileRoute } from '../../../rest-gateway/request'
import { partnerRoutes } from '../../../rest-gateway/routes/all-routes'

const cursors = new Cursors(Buffer.alloc(32), 'dev')

const routeOf = (operation: string) =>
  compileRoute(partnerRoutes.find(route => route.operation === operation) as RouteRecord)

const sensors = routeOf('ListSensors')

test('parameters of the path and of the query become variables', () => {
  const query = 'to_date=2026-01-31&from_date=2026-01-01'
  const input = new RequestInput(routeOf('ReadDemographics'), cursors, { id: 'a1' }, query)
  expect(input.error).toBeUndefined()
  expect(input.variables).toEqual({ id: 'a1', from_date: '2026-01-01', to_date: '2026-01-31' })
})

test('optional parameters have their default values', () => {
  expect(new RequestInput(sensors, cursors, {}, '').variables).toMatchObject({
    limit: 50,
    cursor: null,
    asset_id: null,
  })
})

describe('a cursor', () => {
  const listOf = (query: string) => new RequestInput(sensors, cursors, {}, query).list

  test('is bound to the list and its filters, not to the page', () => {
    expect(listOf('limit=2&cursor=x')).toBe(listOf('limit=3'))
    expect(listOf('asset_id=a1')).not.toBe(listOf('asset_id=a2'))
    expect(listOf('')).not.toBe(new RequestInput(routeOf('ListAssets'), cursors, {}, '').list)
  })

  test('becomes the id of the last row of the previous page', () => {
    const cursor = cursors.issue(listOf('asset_id=a1'), 's9')
    const { variables, error } = new RequestInput(sensors, cursors, {}, `asset_id=a1&cursor=${cursor}`)
    expect([error, variables.cursor]).toEqual([undefined, 's9'])
    expect(new RequestInput(sensors, cursors, {}, `cursor=${cursor}`).error).toMatchObject({ code: 'INVALID_CURSOR' })
  })
})
