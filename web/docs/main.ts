/** The script of all pages: the address of the service in examples, copies of them, narrow screens, and the search. */
import { addSearch } from './search'

/** The placeholder in the examples. */
const BASE_URL = 'https://metrics.example'

for (const pre of document.querySelectorAll('pre')) {
  showAddress(pre)
  // Browsers have it on https and on this machine.
  if (navigator.clipboard) addCopyButton(pre)
}
// Without a script the list of pages is open, which is above the text there.
if (matchMedia('(width < 60rem)').matches) document.querySelector('nav details')?.removeAttribute('open')
addSearch(document.querySelector<HTMLScriptElement>('script[data-index]')?.dataset.index ?? '')

function addCopyButton(pre: HTMLElement): void {
  const button = document.createElement('button')
  button.textContent = 'Copy'
  button.ariaLive = 'polite'
  button.onclick = async () => {
    await navigator.clipboard.writeText(pre.innerText)
    button.textContent = 'Copied'
  }
  button.onblur = () => {
    button.textContent = 'Copy'
  }
  pre.after(button)
}

function showAddress(pre: HTMLElement): void {
  const texts = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const node = texts.currentNode as Text
    node.data = node.data.replaceAll(BASE_URL, location.origin)
  }
}
