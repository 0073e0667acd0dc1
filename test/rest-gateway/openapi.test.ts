import { schema } from '../../resolvers'
import { openApi } from '../../rest-gateway/openapi'
import { compileRoute } from '../../rest-gateway/route'
import { legacyRoutes } from '../../rest-gateway/routes/legacy'
import { partnerRoutes } from '../../rest-gateway/routes/partner'

test('the OpenAPI document changes only together with its snapshot', () => {
  const document = openApi(
    schema,
    [...partnerRoutes, ...legacyRoutes].map(record => compileRoute(schema, record)),
  )
  expect(document).toMatchSnapshot()
})
