/** The search: a form that lists the sections of all pages that answer a question. The build made the index. */
import type MiniSearch from 'minisearch'
import type { SearchEntry } from '../../rest-gateway/docs/search/entries'
import { type FoundSection, findSections } from '../../rest-gateway/docs/search/find-sections'
import { SEARCH_OPTIONS } from '../../rest-gateway/docs/search/options'

const MAX_RESULTS = 30

export function addSearch(): void {
  document.addEventListener('keydown', event => {
    const isTyping = event.target instanceof Element && event.target.closest('input, select, textarea')
    if (event.key === '/' && !isTyping) location.assign('/docs/search')
  })
  const list = document.getElementById('contents')
  if (!list) return
  const form = document.createElement('form')
  form.className = 'search'
  form.innerHTML = '<label>Search all pages <input type="search" autocomplete="off"></label><output></output>'
  const results = document.createElement('ol')
  results.className = 'results'
  list.before(form, results)
  const [input, output] = [form.querySelector('input')!, form.querySelector('output')]
  const index = loadIndex(list.dataset.index ?? '').catch((error: Error) => {
    if (output) output.textContent = `The index did not load (${error.message}). Load the page again.`
  })
  const show = async () => {
    const text = input.value.trim()
    list.hidden = text !== ''
    const loaded = await index
    if (!loaded || input.value.trim() !== text) return
    const found = text === '' ? [] : findSections(loaded, text).slice(0, MAX_RESULTS)
    results.replaceChildren(...found.map(createResult))
    if (output) output.textContent = text && found.length === 0 ? 'Nothing was found: try other words.' : ''
  }
  form.addEventListener('submit', event => {
    event.preventDefault()
    results.querySelector('a')?.click()
  })
  input.addEventListener('input', () => {
    const text = input.value.trim()
    history.replaceState(null, '', `/docs/search${text && `?q=${encodeURIComponent(text)}`}`)
    show()
  })
  const sought = list.dataset.notFound === undefined ? '' : location.pathname.replace(/^\/docs|\W+/g, ' ').trim()
  input.value = new URLSearchParams(location.search).get('q') ?? sought
  input.focus()
  show()
}

async function loadIndex(url: string): Promise<MiniSearch<SearchEntry>> {
  const [{ default: MiniSearch }, response] = await Promise.all([import('minisearch'), fetch(url)])
  if (!response.ok) throw new Error(`status ${response.status}`)
  return MiniSearch.loadJSON<SearchEntry>(await response.text(), SEARCH_OPTIONS)
}

function createResult({ href, title, page, excerpt }: FoundSection): HTMLLIElement {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = href
  link.textContent = title
  const small = document.createElement('small')
  small.textContent = page
  const text = document.createElement('p')
  text.append(...excerpt.map((piece, i) => (i % 2 === 0 ? piece : createMark(piece))))
  item.append(link, small, text)
  return item
}

function createMark(text: string): HTMLElement {
  const mark = document.createElement('mark')
  mark.textContent = text
  return mark
}
