/** A button that copies text. */
import { useState } from 'react'

export function CopyButton({ label, text }: { label: string; text: string }) {
  const [copied, setCopied] = useState<string>()
  const copy = async () => {
    await copyText(text)
    setCopied(text)
  }
  return (
    <button type="button" onClick={copy}>
      {copied === text ? 'Copied' : label}
    </button>
  )
}

/** Pages that were not loaded over HTTPS have no clipboard, but may copy what is selected. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const field = document.createElement('textarea')
  field.value = text
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (!isCopied) throw new Error('The browser did not copy the text.')
}
