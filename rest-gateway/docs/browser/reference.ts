/** Renders the reference with Swagger UI from /openapi.json, in place of its static version. */
import swaggerUi, { type SwaggerUi } from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import 'swagger-ui-dist/swagger-ui.css'
import './reference.css'
import { showQueries } from './query'
import { type OpenApi, prepareTryOut } from './try-out'

export async function showReference(): Promise<void> {
  followColorScheme()
  const response = await fetch('/openapi.json')
  if (!response.ok) return
  const openApi = (await response.json()) as OpenApi
  const queries = Object.entries(openApi.paths).map(([path, { get }]) => [path, get['x-graphql-query']])
  const ui = swaggerUi({
    spec: prepareTryOut(openApi),
    plugins: [showQueries(Object.fromEntries(queries))],
    domNode: document.getElementById('reference-ui'),
    validatorUrl: null,
    tryItOutEnabled: true,
    supportedSubmitMethods: ['get'],
    displayRequestDuration: true,
    syntaxHighlight: { activated: false },
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    defaultModelExpandDepth: 4,
    onComplete: () => {
      document.getElementById('reference-text')?.remove()
      document.documentElement.classList.add('scripted')
      followHash(ui)
    },
  })
}

/** Expands the operation that the URL's hash names, initially and whenever the hash changes. */
function followHash(ui: SwaggerUi): void {
  const expand = () => {
    const [, tag, operation] = /^#operations-(?!tag-)(\w+)-(\w+)$/.exec(location.hash) ?? []
    if (!tag || !operation) return
    ui.getSystem().layoutActions.show(['operations', tag, operation], true)
    requestAnimationFrame(() => document.getElementById(location.hash.slice(1))?.scrollIntoView())
  }
  addEventListener('hashchange', expand)
  // A click on the current link does not change the hash, but the operation may have been collapsed since.
  document.querySelector('.side')?.addEventListener('click', event => {
    if (event.target instanceof HTMLAnchorElement && event.target.hash === location.hash) expand()
  })
  expand()
  if (location.hash.startsWith('#operations-tag-') || location.hash === '#reference')
    document.getElementById(location.hash.slice(1))?.scrollIntoView()
}

/** Swagger UI's dark mode depends on a class, not on the media query. */
function followColorScheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const update = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
  dark.addEventListener('change', update)
  update()
}
