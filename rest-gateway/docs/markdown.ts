/** Markdown as the pages are written in it: filled in, its headings anchored, its tables and samples wrapped. */
import { Marked } from 'marked'

/** A part of a page that can be pointed at. */
export interface Section {
  id: string
  title: string
  within?: Section[]
}

interface Rendered {
  /** The heading of the first level. */
  title: string
  html: string
  /** By its headings of the second level. */
  sections: Section[]
}

/** @param insertions what stands for `{{name}}` and `{{name argument}}` in the text, as Markdown or HTML */
export function renderMarkdown(text: string, insertions: Record<string, (argument: string) => string> = {}): Rendered {
  let title = 'partner-metrics'
  const sections: Section[] = []
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: heading }) {
        const id = anchorOf(heading)
        if (depth === 1) title = heading
        if (depth === 2) sections.push({ id, title: heading })
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      // After the language may stand a name: blocks that have one and follow each other become tabs.
      code({ text: code, lang = '' }) {
        const [, name = ''] = /^\S+ (.*)/.exec(lang) ?? []
        return `<pre${name && ` data-sample="${escapeHtml(name)}"`}><code>${escapeHtml(code)}</code></pre>\n`
      },
    },
  })
  const filled = text.replace(/\{\{(\w+) ?([^{}]*)\}\}/g, (_, name: string, argument: string) => {
    const insert = insertions[name]
    if (!insert) throw new Error(`nothing stands for ${name}`)
    return insert(argument)
  })
  const html = marked
    .parse(filled, { async: false })
    .replace(/(<pre data-sample="[^"]*">(?:(?!<\/pre>)[\s\S])*<\/pre>\n){2,}/g, tabs)
    .replace(/<table>[\s\S]*?<\/table>/g, table => `<div class="table" tabindex="0">${table}</div>`)
  return { title, html, sections }
}

/** Text as it may stand in HTML. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** A table in Markdown. */
export const tableOf = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')

/** Which one is seen is told by radio buttons, so that it takes no script. */
function tabs(samples: string): string {
  const each = samples.match(/<pre data-sample="[^"]*">[\s\S]*?<\/pre>/g) ?? []
  const panes = each.map((pre, i) => {
    const [, name = ''] = /data-sample="([^"]*)"/.exec(pre) ?? []
    const id = `sample-${anchorOf(name)}`
    return `<input type="radio" name="sample" id="${id}"${i === 0 ? ' checked' : ''}><label for="${id}">${name}</label>${pre}`
  })
  return `<div class="tabs">${panes.join('\n')}</div>\n`
}

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
