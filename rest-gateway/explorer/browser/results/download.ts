/** Downloads text as a file. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Revoking the URL at once can cancel the download.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
