/** The reference, rendered from /openapi.json in the place of its plain text. */
import swaggerUi, { type SwaggerUi } from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import 'swagger-ui-dist/swagger-ui.css'
import './reference.css'
import { type OpenApi, readyToTry } from './trying'

export async function showReference(): Promise<void> {
  followNight()
  const answer = await fetch('/openapi.json')
  if (!answer.ok) return
  const ui = swaggerUi({
    spec: readyToTry((await answer.json()) as OpenApi),
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
      followAddress(ui)
    },
  })
}

/** Opens the operation that the address names, now and whenever it names another. */
function followAddress(ui: SwaggerUi): void {
  const open = () => {
    const [, tag, operation] = /^#operations-(?!tag-)(\w+)-(\w+)$/.exec(location.hash) ?? []
    if (!tag || !operation) return
    ui.getSystem().layoutActions.show(['operations', tag, operation], true)
    requestAnimationFrame(() => document.getElementById(location.hash.slice(1))?.scrollIntoView())
  }
  addEventListener('hashchange', open)
  // What was chosen already is opened again, though the address stays.
  document.querySelector('.side')?.addEventListener('click', event => {
    if (event.target instanceof HTMLAnchorElement && event.target.hash === location.hash) open()
  })
  open()
  if (location.hash.startsWith('#operations-tag-') || location.hash === '#reference')
    document.getElementById(location.hash.slice(1))?.scrollIntoView()
}

/** Swagger UI takes its night from a class. */
function followNight(): void {
  const night = matchMedia('(prefers-color-scheme: dark)')
  const set = () => document.documentElement.classList.toggle('dark-mode', night.matches)
  night.addEventListener('change', set)
  set()
}
