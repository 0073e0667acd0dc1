/** The search: a form that lists the sections of all pages that have the words. The build made the index. */
import type MiniSearch from 'minisearch'
import { SEARCH_OPTIONS } from '../../rest-gateway/docs/layout/search-options'

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
    history.replaceState(null, '', text ? `?q=${encodeURIComponent(text)}` : location.pathname)
    list.hidden = text !== ''
    const found = text === '' ? [] : (await index)?.search(text).slice(0, MAX_RESULTS)
    if (!found || input.value.trim() !== text) return
    results.replaceChildren(...found.map(({ id, title, page }) => createResult(id, title, page)))
    if (output) output.textContent = text && found.length === 0 ? 'Nothing was found.' : ''
  }
  form.addEventListener('submit', event => {
    event.preventDefault()
    results.querySelector('a')?.click()
  })
  input.addEventListener('input', show)
  input.value = new URLSearchParams(location.search).get('q') ?? ''
  input.focus()
  show()
}

async function loadIndex(url: string): Promise<MiniSearch> {
  const [{ default: MiniSearch }, response] = await Promise.all([import('minisearch'), fetch(url)])
  if (!response.ok) throw new Error(`status ${response.status}`)
  return MiniSearch.loadJSON(await response.text(), SEARCH_OPTIONS)
}

function createResult(href: string, title: string, page: string): HTMLLIElement {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = href
  link.textContent = title
  const small = document.createElement('small')
  small.textContent = page
  item.append(link, small)
  return item
}
