/** The search: lists the sections of all pages that have the reader's words. The build made the index. */
import type { SearchResult } from 'minisearch'

const MAX_RESULTS = 30

/** Adds the form to the page of the search. @param indexUrl the address of the index */
export function addSearch(indexUrl: string): void {
  const results = document.getElementById('results')
  if (!results) return
  const form = document.createElement('form')
  form.innerHTML = '<p><label>Search all pages <input type="search" autocomplete="off"></label></p><output></output>'
  results.before(form)
  const [input, output] = [form.querySelector('input')!, form.querySelector('output')!]
  const pages = [...results.childNodes]
  const index = loadIndex(indexUrl).catch((error: Error) => {
    output.textContent = `The index did not load (${error.message}). Load the page again.`
  })
  const show = async () => {
    const text = input.value.trim()
    const loaded = await index
    if (!loaded || input.value.trim() !== text) return
    const found = loaded.search(text, {
      boost: { title: 3 },
      prefix: term => term.length > 3,
      fuzzy: term => (term.length > 5 ? 0.2 : false),
    })
    output.textContent = text && found.length === 0 ? 'Nothing was found: try other words.' : ''
    results.replaceChildren(...(text === '' ? pages : found.slice(0, MAX_RESULTS).map(createResult)))
  }
  form.addEventListener('submit', event => {
    event.preventDefault()
    results.querySelector('a')?.click()
  })
  input.addEventListener('input', () => {
    history.replaceState(null, '', `?${new URLSearchParams({ q: input.value })}`)
    show()
  })
  input.value = new URLSearchParams(location.search).get('q') ?? ''
  input.focus()
  show()
}

async function loadIndex(url: string) {
  const [{ default: MiniSearch }, response] = await Promise.all([import('minisearch'), fetch(url)])
  if (!response.ok) throw new Error(`status ${response.status}`)
  const { index, options } = await response.json()
  return MiniSearch.loadJS(index, options)
}

/** @param result with what the index stores of a section */
function createResult({ id, title, page, excerpt }: SearchResult): HTMLElement {
  const item = document.createElement('p')
  const link = document.createElement('a')
  link.href = id
  link.textContent = title
  item.append(link, ` · ${page}`, document.createElement('br'), excerpt)
  return item
}
