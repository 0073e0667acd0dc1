/** The script of all pages: the address of the service in examples, buttons that copy them, narrow screens, and the search. */
import { addSearch } from './search'

const SHOWN_MS = 1500

/** The placeholder in the examples. */
const BASE_URL = 'https://metrics.example'

const NARROW = matchMedia('(max-width: 60rem)')

for (const pre of document.querySelectorAll('pre')) {
  showAddress(pre)
  // Browsers allow it in secure contexts only.
  if (navigator.clipboard) addCopyButton(pre)
}
closeOnNarrowScreens()
addSearch(document.querySelector<HTMLScriptElement>('script[data-index]')?.dataset.index ?? '')

function showAddress(pre: HTMLElement): void {
  const texts = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const node = texts.currentNode as Text
    node.data = node.data.replaceAll(BASE_URL, location.origin)
  }
}

function addCopyButton(pre: HTMLElement): void {
  const text = pre.textContent?.trimEnd()
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(`${text}\n`)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, SHOWN_MS)
  })
  pre.prepend(button)
}

/** Closes the list of pages where it is above the text, also when a section is chosen. Without a script it is open. */
function closeOnNarrowScreens(): void {
  const details = document.querySelector<HTMLDetailsElement>('nav details')
  if (!details) return
  const adapt = () => {
    details.open = !NARROW.matches
  }
  details.addEventListener('click', event => {
    if (event.target instanceof HTMLAnchorElement) adapt()
  })
  NARROW.addEventListener('change', adapt)
  adapt()
}
