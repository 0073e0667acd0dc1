/** The page that sends requests: Swagger UI as it comes, on the OpenAPI document of this service. */
import SwaggerUi from 'swagger-ui-dist/swagger-ui-bundle'

const isDark = matchMedia('(prefers-color-scheme: dark)').matches
document.documentElement.classList.toggle('dark-mode', isDark)

// It would send the examples of optional parameters as well.
const text = await (await fetch('/openapi.json')).text()
const spec = JSON.parse(text, (_, value) => (value?.in === 'query' && !value.required ? omitExample(value) : value))
SwaggerUi({
  domNode: document.body,
  // Requests go to the service that sent this page, whatever address others have for it.
  spec: { ...spec, servers: [{ url: '/' }] },
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  supportedSubmitMethods: ['get'],
  validatorUrl: null,
})

function omitExample({ example, ...parameter }: { example?: unknown }): object {
  return parameter
}
