/** The layout of a documentation page: links to the other pages, the list of sections, and the text. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { escapeHtml, type Placeholders, renderMarkdown, type Section } from './markdown'

const STYLE = readFileSync(join(__dirname, 'page.css'))

/** The stylesheet of all pages. Its path changes with its content, so that clients can cache it forever. */
export const STYLESHEET = {
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
  /** Markdown with one heading of level 1. */
  text: string
  placeholders?: Placeholders
  /** HTML after the text. */
  appendix?: { html: string; sections: Section[] }
  /** The paths of scripts. */
  scripts?: string[]
}

/** Renders a page as HTML. */
export function renderPage({ path, text, placeholders = {}, appendix, scripts = [] }: Page): string {
  const { title, html, sections } = renderMarkdown(text, placeholders)
  const allSections = [...sections, ...(appendix?.sections ?? [])]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · partner-metrics</title>
<link rel="icon" href="/favicon.ico">
<link rel="stylesheet" href="${STYLESHEET.path}">
${scripts.map(script => `<script type="module" src="${script}"></script>`).join('\n')}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="bar">
<a class="brand" href="/">partner-metrics</a>
<nav aria-label="Pages">${PAGES.map(([href, name]) => link(href, name, href === path)).join('')}</nav>
</header>
<div class="frame">
${allSections.length > 0 ? sideBar(allSections) : ''}
<main id="content">
<article>
${html}
</article>
${appendix?.html ?? ''}
</main>
</div>
</body>
</html>
`
}

const sideBar = (sections: Section[]): string => `<nav class="side" aria-label="On this page">
<input type="checkbox" id="sections"><label for="sections">On this page</label>
<ul>${sections.map(entry).join('')}</ul>
</nav>`

const link = (href: string, text: string, isCurrent = false): string =>
  `<a href="${href}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(text)}</a>`

const entry = ({ id, title, children = [] }: Section): string =>
  `<li>${link(`#${id}`, title)}${children.length > 0 ? `<ul>${children.map(entry).join('')}</ul>` : ''}</li>`
