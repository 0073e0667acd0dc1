/** Adds a button to each code block that copies it. Browsers allow it in secure contexts only. */

const SHOWN_MS = 1500

export function addCopyButtons(): void {
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
