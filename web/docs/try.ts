/** The page that sends requests: Swagger UI as it comes, on the OpenAPI document of this service. */
import SwaggerUi from 'swagger-ui-dist/swagger-ui-bundle'

const DARK = matchMedia('(prefers-color-scheme: dark)')

const follow = () => document.documentElement.classList.toggle('dark-mode', DARK.matches)
DARK.addEventListener('change', follow)
follow()

// Requests go to the service that sent this page, whatever address others have for it.
const openApi = await (await fetch('/openapi.json')).json()
SwaggerUi({
  domNode: document.body,
  spec: { ...openApi, servers: [{ url: '/' }] },
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  supportedSubmitMethods: ['get'],
  validatorUrl: null,
})
