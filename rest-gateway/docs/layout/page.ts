/** The layout of a documentation page: links to the other pages, the list of sections, and the text. */
import { markdownPath, PAGES } from '../pages'
import { escapeHtml } from './escape-html'
import { renderMarkdown, type Section } from './markdown'
import { STYLESHEET } from './stylesheet'

interface Page {
  path: string
  /** Markdown with one heading of level 1. */
  text: string
  /** The paths of scripts. */
  scripts?: string[]
}

/** Renders a page as HTML. */
export function renderPage({ path, text, scripts = [] }: Page): string {
  const { title, html, sections } = renderMarkdown(text)
  const listed = sections.filter(({ level, isNamed }) => level === 2 || isNamed)
  const isDocumentation = PAGES.some(page => page.path === path)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · partner-metrics</title>
<link rel="icon" href="/favicon.ico">
<link rel="stylesheet" href="${STYLESHEET.path}">
${isDocumentation ? `<link rel="alternate" type="text/markdown" href="${markdownPath(path)}">\n` : ''}<link rel="alternate" type="application/atom+xml" title="Changelog" href="/docs/changelog.atom">
${scripts.map(script => `<script type="module" src="${script}"></script>`).join('\n')}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="bar">
<a class="brand" href="/">partner-metrics</a>
<nav aria-label="Pages">${navigation(path)}</nav>
<a class="find" href="/docs/search"${path === '/docs/search' ? ' aria-current="page"' : ''}>Search</a>
</header>
<div class="frame">
${listed.length > 0 ? sideBar(listed) : ''}
<main id="content">
<article>
${html}
</article>
</main>
</div>
</body>
</html>
`
}

const READERS = ['Partners', 'Analysts', 'Operators'] as const

/** Returns the links to all pages, in groups by their readers. */
function navigation(path: string): string {
  const groups = READERS.map(readers => {
    const links: Link[] = PAGES.filter(page => page.readers === readers)
    if (readers === 'Partners') links.splice(1, 0, ...OTHER_LINKS)
    const html = links.map(target => link(target.path, target.name, target.path === path)).join('')
    return `<div role="group" aria-label="For ${readers.toLowerCase()}">${html}</div>`
  })
  return groups.join('')
}

interface Link {
  path: string
  name: string
}

const OTHER_LINKS: Link[] = [
  { path: '/docs#reference', name: 'Reference' },
  { path: '/openapi.json', name: 'OpenAPI' },
]

const sideBar = (sections: Section[]): string => `<nav class="side" aria-label="On this page">
<input type="checkbox" id="sections"><label for="sections">On this page</label>
${listOf(sections)}
</nav>`

const link = (href: string, text: string, isCurrent = false): string =>
  `<a href="${href}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(text)}</a>`

const listOf = (sections: Section[]): string => `<ul>${items(sections)}</ul>`

/** Returns list items, nested by the levels of the headings. */
function items([first, ...others]: Section[]): string {
  if (!first) return ''
  const next = others.findIndex(({ level }) => level <= first.level)
  const end = next === -1 ? others.length : next
  const children = others.slice(0, end)
  const nested = children.length > 0 ? listOf(children) : ''
  return `<li>${link(`#${first.id}`, first.title)}${nested}</li>${items(others.slice(end))}`
}
