/**
 * Renders Markdown with heading anchors, highlighted code, scrollable tables and tabbed code blocks. A heading may name its
 * anchor: `## Errors {#errors}`.
 */
import { Marked, type Token, type Tokens } from 'marked'
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

export function renderMarkdown(text: string): Rendered {
  const sections = new Map<Token, Section>()
  const counts = new Map<string, number>()
  let current: Section | undefined
  const marked = new Marked({
    walkTokens(token) {
      if (token.type === 'heading') {
        const { text: heading, depth: level } = token as Tokens.Heading
        const [, name] = ANCHOR.exec(heading) ?? []
        const title = plain(heading.replace(ANCHOR, ''))
        const anchor = name ?? createAnchor(title)
        const before = counts.get(anchor) ?? 0
        counts.set(anchor, before + 1)
        const id = before === 0 ? anchor : `${anchor}-${before}`
        current = { id, title, level, text: '', isNamed: name !== undefined }
        sections.set(token, current)
      } else if (current && (token.type === 'text' || token.type === 'codespan') && !('tokens' in token))
        current.text += `${(token as Tokens.Text).text} `
    },
    renderer: {
      heading(token) {
        const { id, title, level } = sections.get(token)!
        const inner = this.parser.parseInline(token.tokens).replace(ANCHOR, '')
        const link =
          level === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(title)}">#</a>`
        return `<h${level} id="${id}">${inner}${link}</h${level}>\n`
      },
      // The info string is a language and, for a tab, its label: "ts TypeScript".
      code({ text: code, lang = '' }) {
        const [, language = '', label = ''] = /^(\S*) ?(.*)/.exec(lang) ?? []
        return `<pre tabindex="0"${label && ` data-tab="${escapeHtml(label)}"`}${language === 'request' ? ' class="request"' : ''}><code>${highlight(code, language)}</code></pre>\n`
      },
    },
  })
  let groups = 0
  const html = (marked.parse(text) as string)
    .replace(/(<pre tabindex="0" data-tab="[^"]*">(?:(?!<\/pre>)[\s\S])*<\/pre>\n){2,}/g, blocks =>
      tabs(blocks, ++groups),
    )
    .replace(/<table>[\s\S]*?<\/table>/g, table => `<div class="table" tabindex="0">${table}</div>`)
  const listed = [...sections.values()].map(section => ({ ...section, text: tidy(section) }))
  return { title: listed[0]?.title ?? 'partner-metrics', html, sections: listed }
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

/** Returns the text without its heading, and without the blanks between the parts of a sentence. */
const tidy = ({ title, text }: Section): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/ (?=[.,;:!?)])|(?<=\() /g, '')
    .replace(title, '')
    .replace(/^ *\{#[\w-]+\}/, '')
    .trim()

const ANCHOR = / \{#([\w-]+)\}$/

const plain = (markdown: string): string => markdown.replaceAll('`', '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')

const createAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
