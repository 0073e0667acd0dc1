/** The page that sends requests: Swagger UI as it comes, on the OpenAPI document of this service. */
import SwaggerUi from 'swagger-ui-dist/swagger-ui-bundle'

const isDark = matchMedia('(prefers-color-scheme: dark)').matches
document.documentElement.classList.toggle('dark-mode', isDark)

// It would send the examples of optional parameters as well.
const text = await (await fetch('/openapi.json')).text()
const spec = JSON.parse(text, (_, value) => (value?.in === 'query' && !value.required ? omitExample(value) : value))
SwaggerUi({
  domNode: document.getElementById('try'),
  // Requests go to the service that sent this page, whatever address others have for it.
  spec: { ...spec, servers: [{ url: '/' }] },
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  supportedSubmitMethods: ['get'],
  validatorUrl: null,
  syntaxHighlight: false,
  plugins: [layout],
})

// Swagger UI has no names for lists of values, and its examples cannot be scrolled with the keyboard.
const page = document.getElementById('try')!
new MutationObserver(() => {
  for (const row of page.querySelectorAll<HTMLElement>('[data-param-name]')) {
    for (const select of row.querySelectorAll('select')) select.ariaLabel = row.dataset.paramName!
  }
  for (const pre of page.querySelectorAll('pre')) pre.tabIndex = 0
}).observe(page, { childList: true, subtree: true })

/** A plugin without the title, the servers and the main landmark of Swagger UI: the page has its own; and without links within buttons. */
function layout({ React: { createElement } }: { React: typeof import('react') }): object {
  const BaseLayout = ({ getComponent }: { getComponent(name: string, hasState: boolean): string }) =>
    createElement(
      'div',
      { className: 'swagger-ui' },
      ['SvgAssets', 'errors', 'AuthorizeBtnContainer', 'operations'].map(name =>
        createElement(getComponent(name, name !== 'SvgAssets'), { key: name }),
      ),
    )
  const DeepLink = ({ text }: { text: string }) => createElement('span', null, text)
  return { components: { BaseLayout, DeepLink } }
}

function omitExample({ example, ...parameter }: { example?: unknown }): object {
  return parameter
}
