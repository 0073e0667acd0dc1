/** The script of all pages: the current section, copy buttons, the base URL and the reader's data in examples, and the search. */
import { addAuthorization } from './authorization'
import { replaceInExamples } from './examples'
import { offerExplorerAgain } from './explorer-link'
import { addSearch } from './search'
import { trackSections } from './section-links'
import { addForms } from './try-out'

const SHOWN_MS = 1500

/** Adds a button to each code block that copies it. Browsers allow it in secure contexts only. */
function addCopyButtons(): void {
  if (!navigator.clipboard) return
  for (const pre of document.querySelectorAll('pre')) {
    const code = pre.querySelector('code')
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(`${code?.textContent?.trimEnd()}\n`)
      button.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, SHOWN_MS)
    })
    pre.prepend(button)
  }
}

/** The placeholder base URL of the examples. */
const BASE_URL = 'https://metrics.example'

replaceInExamples({ [BASE_URL]: location.origin })
trackSections()
offerExplorerAgain()
addCopyButtons()
addForms()
addAuthorization()
addSearch()
document.documentElement.classList.add('scripted')
