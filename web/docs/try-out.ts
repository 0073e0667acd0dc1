/**
 * Adds a form to each route of the reference that sends requests with the reader's API key. Its parameters are filled in so
 * that one click returns data: dates with the last days, optional parameters not at all.
 */
import { keyHeaders } from './authorization'

/** As the reference describes it in `data-parameters`. */
interface Parameter {
  name: string
  in: 'path' | 'query'
  required: boolean
  format?: string
  choices?: string[]
  example?: unknown
}

const RANGE_STARTS = ['from_date', 'start']
const RANGE_DAYS = 7

/** Longer responses are cut. */
const MAX_CHARACTERS = 200_000

export function addForms(): void {
  for (const operation of document.querySelectorAll<HTMLElement>('.operation')) {
    const { path = '', parameters = '[]' } = operation.dataset
    operation.append(createForm(path, JSON.parse(parameters)))
  }
}

function createForm(path: string, parameters: Parameter[]): HTMLElement {
  const form = document.createElement('form')
  const output = document.createElement('output')
  const inputs = parameters.map(parameter => ({ ...parameter, input: createInput(parameter) }))
  for (const { name, input } of inputs) {
    const label = document.createElement('label')
    label.append(name, input)
    form.append(label)
  }
  const button = document.createElement('button')
  button.textContent = 'Send'
  form.append(button, output)
  form.addEventListener('submit', async event => {
    event.preventDefault()
    let address = path
    const query = new URLSearchParams()
    for (const { name, in: location, input } of inputs) {
      if (location === 'path') address = address.replace(`{${name}}`, encodeURIComponent(input.value))
      else if (input.value !== '') query.set(name, input.value)
    }
    const url = query.size > 0 ? `${address}?${query}` : address
    const pre = document.createElement('pre')
    // The keyboard scrolls it.
    pre.tabIndex = 0
    pre.setAttribute('role', 'region')
    pre.setAttribute('aria-label', `Response of GET ${path}`)
    pre.textContent = await send(url).catch(() => 'The service did not respond.')
    output.replaceChildren(pre)
  })
  const details = document.createElement('details')
  const summary = document.createElement('summary')
  summary.textContent = 'Send a request'
  details.append(summary, form)
  return details
}

function createInput({ required, format, choices, name, example }: Parameter): HTMLInputElement | HTMLSelectElement {
  const initial = format === 'date' ? daysAgo(RANGE_STARTS.includes(name) ? RANGE_DAYS : 1) : String(example)
  if (choices) {
    const select = document.createElement('select')
    for (const value of [...(required ? [] : ['']), ...choices]) select.add(new Option(value, value))
    if (required) select.value = initial
    return select
  }
  const input = document.createElement('input')
  input.name = name
  input.spellcheck = false
  if (required) input.value = initial
  else input.placeholder = initial
  return input
}

/** Returns what a terminal would show: the request, the status line and the body. */
async function send(url: string): Promise<string> {
  const start = performance.now()
  const response = await fetch(url, { headers: keyHeaders() })
  const text = await response.text()
  const ms = Math.round(performance.now() - start)
  const isJson = response.headers.get('Content-Type')?.includes('json')
  const body = isJson ? JSON.stringify(JSON.parse(text), null, 2) : text
  const shown = body.length > MAX_CHARACTERS ? `${body.slice(0, MAX_CHARACTERS)}…` : body
  return `GET ${url}\n${response.status} in ${ms} ms\n\n${shown}`
}

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
