/** Renders Markdown with placeholders, heading anchors, scrollable tables and tabbed code blocks. */
import { Marked } from 'marked'

/** An entry in the list of sections. */
export interface Section {
  id: string
  title: string
  children?: Section[]
}

/** Replacements of `{{name}}` and `{{name argument}}`, as Markdown or HTML. */
export type Placeholders = Record<string, (argument: string) => string>

interface Rendered {
  /** The text of the heading of level 1. */
  title: string
  html: string
  /** One section per heading of level 2. */
  sections: Section[]
}

export function renderMarkdown(text: string, placeholders: Placeholders = {}): Rendered {
  let title = 'partner-metrics'
  const sections: Section[] = []
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: heading }) {
        const id = createAnchor(heading)
        if (depth === 1) title = heading
        if (depth === 2) sections.push({ id, title: heading })
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      // The info string is a language and, for a tab, its label: "ts TypeScript".
      code({ text: code, lang = '' }) {
        const [, label = ''] = /^\S+ (.*)/.exec(lang) ?? []
        return `<pre${label && ` data-tab="${escapeHtml(label)}"`}><code>${escapeHtml(code)}</code></pre>\n`
      },
    },
  })
  const filled = text.replace(/\{\{(\w+) ?([^{}]*)\}\}/g, (_, name: string, argument: string) => {
    const replacement = placeholders[name]
    if (!replacement) throw new Error(`unknown placeholder ${name}`)
    return replacement(argument)
  })
  let groups = 0
  const html = marked
    .parse(filled, { async: false })
    .replace(/(<pre data-tab="[^"]*">(?:(?!<\/pre>)[\s\S])*<\/pre>\n){2,}/g, blocks => tabs(blocks, ++groups))
    .replace(/<table>[\s\S]*?<\/table>/g, table => `<div class="table" tabindex="0">${table}</div>`)
  return { title, html, sections }
}

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Returns a Markdown table. */
export const renderTable = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')

/** The width of a code block, in characters. */
const BLOCK_WIDTH = 84

/** Returns a Markdown code block of JSON. Innermost objects and lists are written on one line if they fit. */
export function jsonBlock(value: unknown): string {
  if (value === undefined) throw new Error('the example was not recorded')
  const json = JSON.stringify(value, null, 2).replace(
    /^( *)(.*[{[])\n\s+([^{}[\]]*?)\n\s+([}\]],?)$/gm,
    (lines, indent, start, content, end) => {
      const padding = start.endsWith('{') ? ' ' : ''
      const line = `${indent}${start}${padding}${content.replace(/\n\s+/g, ' ')}${padding}${end}`
      return line.length > BLOCK_WIDTH ? lines : line
    },
  )
  return `\`\`\`json\n${json}\n\`\`\``
}

/** Returns consecutive labelled code blocks as tabs. Radio buttons select one of a group, so no script is needed. */
function tabs(blocks: string, group: number): string {
  const panes = (blocks.match(/<pre data-tab="[^"]*">[\s\S]*?<\/pre>/g) ?? []).map((pre, i) => {
    const [, label = ''] = /data-tab="([^"]*)"/.exec(pre) ?? []
    const id = `tab-${group}-${createAnchor(label)}`
    return `<input type="radio" name="tab-${group}" id="${id}"${i === 0 ? ' checked' : ''}><label for="${id}">${label}</label>${pre}`
  })
  return `<div class="tabs">${panes.join('\n')}</div>\n`
}

const createAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
