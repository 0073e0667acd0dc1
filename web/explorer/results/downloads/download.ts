/** Downloads text or bytes as a file. */
export function download(name: string, type: string, content: string | Blob): void {
  const blob = typeof content === 'string' ? new Blob([content], { type: `${type};charset=utf-8` }) : content
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Revoking the URL at once can cancel the download.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
