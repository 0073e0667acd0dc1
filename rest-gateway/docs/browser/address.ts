/** The samples ask the service that serves the page: its address takes the place of the made-up one. */

const MADE_UP = 'https://metrics.example'

export function addressHere(): void {
  for (const code of document.querySelectorAll('article code')) {
    if (code.textContent?.includes(MADE_UP)) code.textContent = code.textContent.replaceAll(MADE_UP, location.origin)
  }
}
