/** Renders Markdown with anchors at headings, and code and tables that scroll. A heading may name its anchor: `## Errors {#errors}`. */
import { Marked } from 'marked'

const ANCHOR = / \{#([\w-]+)\}$/

export const escapeHtml = text =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, id }) {
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens).replace(ANCHOR, '')}</h${depth}>\n`
    },
    // The keyboard scrolls long lines.
    code({ text }) {
      return `<div class="code"><pre tabindex="0"><code>${escapeHtml(text)}</code></pre></div>\n`
    },
  },
})

/** Renders a page. @returns HTML, and the sections: each heading with the text below it, without code, and its paragraphs */
export function renderMarkdown(text) {
  const tokens = marked.lexer(text)
  const sections = []
  for (const token of tokens) {
    if (token.type === 'heading') {
      const [, name] = ANCHOR.exec(token.text) ?? []
      const title = plain(token.text.replace(ANCHOR, ''))
      const anchor =
        name ??
        title
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, '-')
          .replace(/^-|-$/g, '')
      const before = sections.filter(section => section.anchor === anchor).length
      token.id = before === 0 ? anchor : `${anchor}-${before}`
      sections.push({ id: token.id, anchor, title, level: token.depth, text: '', excerpt: '' })
    } else if (token.type !== 'code' && token.type !== 'html') {
      const words = `${plain(token.raw)} `
      sections.at(-1).text += words
      if (token.type === 'paragraph') sections.at(-1).excerpt += words
    }
  }
  const html = marked.parser(tokens).replaceAll('<table>', '<table tabindex="0">')
  return { html, sections }
}

const plain = markdown =>
  markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`|]|\*\*|-{3,}/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/** Returns the Markdown that people and assistants read: without the names of anchors and the HTML around parts. */
export const plainMarkdown = text =>
  text
    .replace(/^(#.*) \{#[\w-]+\}$/gm, '$1')
    .replace(/^<summary>(.*)<\/summary>$/gm, '**$1**')
    .replace(/^<\/?(details|div)\b.*>\n/gm, '')
    .replace(/\n{3,}/g, '\n\n')

export const renderTable = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')

export const codeBlock = (text, language) => `\`\`\`${language}\n${text}\n\`\`\``
