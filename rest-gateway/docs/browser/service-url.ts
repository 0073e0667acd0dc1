/** Replaces the placeholder base URL in the code examples by the URL of the service that serves the page. */

const PLACEHOLDER = 'https://metrics.example'

export function insertServiceUrl(): void {
  for (const code of document.querySelectorAll('article code')) {
    if (code.textContent?.includes(PLACEHOLDER)) {
      code.textContent = code.textContent.replaceAll(PLACEHOLDER, location.origin)
    }
  }
}
