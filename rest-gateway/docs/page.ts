/**
 * A page of the documents: Markdown in a frame that all of them share, with the other pages above and its own sections
 * beside it. It reads well narrow and wide, by day and by night, and without JavaScript.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { escapeHtml, renderMarkdown, type Section } from './markdown'

const STYLE = readFileSync(join(__dirname, 'page.css'))

/** The style of all pages, and where it is served: the name changes with the content. */
export const STYLE_FILE = {
  path: `/docs/page-${createHash('sha256').update(STYLE).digest('base64url').slice(0, 8)}.css`,
  body: STYLE,
}

const PAGES = [
  ['/docs', 'Guide'],
  ['/docs#reference', 'Reference'],
  ['/docs/migration', 'Migration'],
  ['/docs/operations', 'Operations'],
  ['/docs/changelog', 'Changelog'],
  ['/openapi.json', 'OpenAPI'],
] as const

export interface Page {
  path: string
  /** Its text, as Markdown with one heading of the first level. */
  text: string
  /** What stands for `{{name}}` and `{{name argument}}` in the text, as Markdown or HTML. */
  insertions?: Record<string, (argument: string) => string>
  /** What follows the text, as HTML, with its own sections. */
  below?: { html: string; sections: Section[] }
  /** Further styles and scripts, by their paths. */
  styles?: string[]
  scripts?: string[]
}

/** The page as HTML. */
export function renderPage({ path, text, insertions = {}, below, styles = [], scripts = [] }: Page): string {
  const { title, html, sections } = renderMarkdown(text, insertions)
  const all = [...sections, ...(below?.sections ?? [])]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · partner-metrics</title>
<link rel="icon" href="data:,">
${[...styles, STYLE_FILE.path].map(style => `<link rel="stylesheet" href="${style}">`).join('\n')}
${scripts.map(script => `<script type="module" src="${script}"></script>`).join('\n')}
</head>
<body>
<a class="skip" href="#content">To the text</a>
<header class="bar">
<a class="brand" href="/docs">partner-metrics</a>
<nav aria-label="Pages">${PAGES.map(([to, name]) => link(to, name, to === path)).join('')}</nav>
</header>
<div class="frame">
<nav class="side" aria-label="On this page">
<input type="checkbox" id="sections"><label for="sections">On this page</label>
<ul>${all.map(entry).join('')}</ul>
</nav>
<main id="content">
<article>
${html}
</article>
${below?.html ?? ''}
</main>
</div>
</body>
</html>
`
}

const link = (to: string, name: string, here = false): string =>
  `<a href="${to}"${here ? ' aria-current="page"' : ''}>${escapeHtml(name)}</a>`

const entry = ({ id, title, within = [] }: Section): string =>
  `<li>${link(`#${id}`, title)}${within.length > 0 ? `<ul>${within.map(entry).join('')}</ul>` : ''}</li>`
