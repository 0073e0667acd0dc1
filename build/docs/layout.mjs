/** The layout of all pages: links to the pages, with the sections of the present one, and the text. */
import { escapeHtml, renderMarkdown } from './markdown.mjs'
import { markdownPath, PAGES } from './pages.mjs'

const TRY = { path: '/docs/try', name: 'Try it', readers: 'Partners' }

/** Renders a page as HTML. @param assets the paths of the script, the stylesheets and the index of the search */
export function renderPage(path, text, { script, styles, index }) {
  const { html, sections } = renderMarkdown(text)
  const isListed = PAGES.some(page => page.path === path)
  const alternate = `<link rel="alternate" type="text/markdown" href="${markdownPath(path)}">\n`
  const scriptElement = `<script type="module" src="${script}"${index ? ` data-index="${index}"` : ''}></script>`
  return `${renderHead(sections[0].title, styles)}${isListed ? alternate : ''}${scriptElement}
<body class="markdown-body">
<a class="skip" href="#content">Skip to content</a>
<header>
${link('/', 'partner-metrics', path)}
${link('/docs/search', 'Search', path)}
${link('/explorer', 'Explorer', path)}
</header>
<nav aria-label="Pages"><details open><summary>Pages and sections</summary>
${['Partners', 'Operators'].map(readers => listPages(readers, path, sections)).join('\n')}
</details></nav>
<main id="content">
${html}
</main>
`
}

const renderHead = (title, styles) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · partner-metrics</title>
<link rel="icon" href="/favicon.ico">
${styles.map(style => `<link rel="stylesheet" href="${style}">\n`).join('')}`

/** Returns the links to the pages for some readers. Below the present page are its sections. */
function listPages(readers, path, sections) {
  const own = sections.filter(({ level }) => level === 2).map(({ id, title }) => `<li>${link(`#${id}`, title)}</li>`)
  const items = [...PAGES, TRY]
    .filter(page => page.readers === readers)
    .map(
      page => `<li>${link(page.path, page.name, path)}${page.path === path ? `<ul>${own.join('\n')}</ul>` : ''}</li>`,
    )
  return `<p>${readers}</p><ul>${items.join('\n')}</ul>`
}

const link = (href, text, path) =>
  `<a href="${href}"${href === path ? ' aria-current="page"' : ''}>${escapeHtml(text)}</a>`
