/**
 * The form "Authorize": from then on the examples and the forms have the reader's key, their first asset with data, and its
 * last week with data. A valid key stays in this tab until it is closed.
 */
import { removeKey } from '../explorer/api-key'
import { replaceInExamples } from './examples'
import { offerExplorer } from './explorer-link'

/** A key without the scope of the explorer is stored under a name of its own: the explorer would refuse it. */
const STORAGE_KEY = 'partner-metrics-docs-key'

let apiKey = ''

/** Returns the headers of requests with the reader's key. */
export const keyHeaders = (): Record<string, string> => (apiKey ? { 'X-API-Key': apiKey } : {})

interface Asset {
  id: string
  legacy_id: number | null
  name: string
  measured_from: string | null
  measured_to: string | null
}

/** Shown in the examples until a key is entered. */
const KEY_PLACEHOLDER = /msk_(?:test|live)_…/

/** Texts in the examples, by what they stand for. */
const shown = { key: '', asset: '', from: '', to: '' }

export function addAuthorization(): void {
  const week = document.getElementById('week')
  const quickstart = document.getElementById('quickstart')
  if (!week || !quickstart) return
  const { asset = '', from = '', to = '' } = week.dataset
  const [key = ''] = KEY_PLACEHOLDER.exec(document.querySelector('article')?.textContent ?? '') ?? []
  Object.assign(shown, { key, asset, from, to })
  const form = document.createElement('form')
  form.className = 'authorize'
  form.innerHTML =
    '<p>With your key, the examples and forms of this page use your first asset and its last week with data. The key stays in this browser tab until you close it.</p><label>API key <input autocomplete="off" spellcheck="false" required></label><div><button>Authorize</button> <button type="button" hidden>Forget the key</button></div><output></output>'
  const [input, output] = [form.querySelector('input')!, form.querySelector('output')!]
  const forget = form.querySelector<HTMLButtonElement>('[type="button"]')!
  const fill = async (key: string) => {
    apiKey = key
    output.textContent = await fillExamples(week).catch(() => 'The service did not respond.')
    forget.hidden = stored() === null
  }
  form.addEventListener('submit', event => {
    event.preventDefault()
    fill(input.value.trim())
    offerExplorer(apiKey)
  })
  forget.addEventListener('click', () => {
    sessionStorage.removeItem(STORAGE_KEY)
    removeKey()
    location.reload()
  })
  quickstart.after(form)
  const last = stored()
  if (last !== null) fill(last)
}

const stored = (): string | null => sessionStorage.getItem(STORAGE_KEY)

/** Stores the key if it is valid. @returns a message for the reader */
async function fillExamples(week: HTMLElement): Promise<string> {
  const body = await fetchJson('/v1/partner/assets?limit=50')
  if (body.error) return `${body.error.code}: ${body.error.message}`
  sessionStorage.setItem(STORAGE_KEY, apiKey)
  const assets = body.data as Asset[]
  const asset = assets.find(({ measured_to }) => measured_to) ?? assets[0]
  if (!asset) return 'The key is valid, but has no assets.'
  const to = asset.measured_to ?? shown.to
  const from = [daysBefore(to, 6), asset.measured_from ?? ''].sort()[1]!
  const own = { key: apiKey, asset: asset.id, from, to }
  replaceInExamples(
    Object.fromEntries(Object.entries(own).map(([name, text]) => [shown[name as keyof typeof own], text])),
  )
  Object.assign(shown, own)
  fillForms({ id: asset.id, from_date: from, to_date: to, start: from, end: to, date: to })
  const response = await fetchJson(`/v1/partner/assets/${asset.id}/impressions/daily?from_date=${from}&to_date=${to}`)
  const code = week.querySelector('code')
  if (code) code.textContent = JSON.stringify(response, null, 2)
  return `The examples and forms of this page now use your key, the asset ${asset.name}, and ${from} to ${to}.`
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of several routes, and errors
async function fetchJson(url: string): Promise<any> {
  const response = await fetch(url, { headers: keyHeaders() })
  return response.json()
}

function fillForms(values: Record<string, string>): void {
  for (const [name, value] of Object.entries(values)) {
    for (const input of document.querySelectorAll<HTMLInputElement>(`.operation input[name="${name}"]`))
      input.value = value
  }
}

const daysBefore = (date: string, days: number): string =>
  new Date(Date.parse(date) - days * 86_400_000).toISOString().slice(0, 10)
