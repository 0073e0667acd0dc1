/** Replaces texts in the code examples, and keeps their colors. Recorded exchanges stay as they are. */
export function replaceInExamples(replacements: Record<string, string>): void {
  for (const code of document.querySelectorAll('pre code')) {
    if (code.closest('.operation, .sides')) continue
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const node = texts.currentNode as Text
      for (const [text, replacement] of Object.entries(replacements)) {
        if (node.data.includes(text)) node.data = node.data.replaceAll(text, replacement)
      }
    }
  }
}
