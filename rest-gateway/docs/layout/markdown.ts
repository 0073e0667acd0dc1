/**
 * Renders Markdown with heading anchors, highlighted code, scrollable tables and tabbed code blocks. A heading may name its
 * anchor: `## Errors {#errors}`.
 */
import { Marked, type Tokens } from 'marked'
import { escapeHtml } from './escape-html'
import { highlight } from './highlight'

/** An entry in the list of sections. */
export interface Section {
  id: string
  title: string
  /** The level of the heading. */
  level: number
  /** The text up to the next heading, without code. */
  text: string
  /** Whether the heading names its anchor. */
  isNamed: boolean
}

/** Replacements of `{{name}}` and `{{name argument}}`, as Markdown or HTML. */
type Placeholders = Record<string, (argument: string) => string>

interface Rendered {
  /** The text of the heading of level 1. */
  title: string
  html: string
  sections: Section[]
}

/** Replaces the placeholders of a text. */
export const fillPlaceholders = (text: string, placeholders: Placeholders): string =>
  text.replace(/\{\{(\w+) ?([^{}]*)\}\}/g, (_, name: string, argument: string) => {
    const replacement = placeholders[name]
    if (!replacement) throw new Error(`unknown placeholder ${name}`)
    return replacement(argument)
  })

/** Returns a function that numbers anchors which a page has already, in the order of its headings. */
function uniqueIds(): (id: string) => string {
  const seen = new Map<string, number>()
  return id => {
    const before = seen.get(id) ?? 0
    seen.set(id, before + 1)
    return before === 0 ? id : `${id}-${before}`
  }
}

export function renderMarkdown(text: string): Rendered {
  const sections: Section[] = []
  const [idOfHeading, idOfSection] = [uniqueIds(), uniqueIds()]
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: heading }) {
        const { id: name, title } = parseHeading(heading)
        const id = idOfHeading(name)
        const inner = this.parser.parseInline(tokens).replace(ANCHOR, '')
        const link =
          depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(plain(title))}">#</a>`
        return `<h${depth} id="${id}">${inner}${link}</h${depth}>\n`
      },
      // The info string is a language and, for a tab, its label: "ts TypeScript".
      code({ text: code, lang = '' }) {
        const [, language = '', label = ''] = /^(\S*) ?(.*)/.exec(lang) ?? []
        return `<pre tabindex="0"${label && ` data-tab="${escapeHtml(label)}"`}${language === 'request' ? ' class="request"' : ''}><code>${highlight(code, language)}</code></pre>\n`
      },
    },
  })
  const tokens = marked.lexer(text)
  marked.walkTokens(tokens, token => {
    if (token.type === 'heading') {
      const { id, title } = parseHeading(token.text)
      sections.push({
        id: idOfSection(id),
        title: plain(title),
        level: token.depth,
        text: '',
        isNamed: ANCHOR.test(token.text),
      })
    } else if (token.type === 'text' || token.type === 'codespan') {
      const section = sections.at(-1)
      if (section && !('tokens' in token)) section.text += `${(token as Tokens.Text).text} `
    }
  })
  let groups = 0
  const html = marked
    .parser(tokens)
    .replace(/(<pre tabindex="0" data-tab="[^"]*">(?:(?!<\/pre>)[\s\S])*<\/pre>\n){2,}/g, blocks =>
      tabs(blocks, ++groups),
    )
    .replace(/<table>[\s\S]*?<\/table>/g, table => `<div class="table" tabindex="0">${table}</div>`)
  return { title: sections[0]?.title ?? 'partner-metrics', html, sections }
}

/** Returns the Markdown that people and assistants read: without the names of anchors and the HTML around parts. */
export const plainMarkdown = (text: string): string =>
  text
    .replace(/^(#.*) \{#[\w-]+\}$/gm, '$1')
    .replace(/^<summary>(.*)<\/summary>$/gm, '**$1**')
    .replace(/^<\/?(div|section|details|p|label|output)\b.*>\n/gm, '')
    .replace(/\n{3,}/g, '\n\n')

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
  const panes = (blocks.match(/<pre [^>]*>[\s\S]*?<\/pre>/g) ?? []).map((pre, i) => {
    const [, label = ''] = /data-tab="([^"]*)"/.exec(pre) ?? []
    const id = `tab-${group}-${createAnchor(label)}`
    return `<input type="radio" name="tab-${group}" id="${id}"${i === 0 ? ' checked' : ''}><label for="${id}">${label}</label>${pre}`
  })
  return `<div class="tabs">${panes.join('\n')}</div>\n`
}

const ANCHOR = / \{#([\w-]+)\}$/

function parseHeading(heading: string): { id: string; title: string } {
  const [, named] = ANCHOR.exec(heading) ?? []
  const title = heading.replace(ANCHOR, '')
  return { id: named ?? createAnchor(title), title }
}

const plain = (markdown: string): string => markdown.replaceAll('`', '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')

const createAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
