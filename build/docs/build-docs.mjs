/**
 * Builds the documentation into dist/pages, in files that have the paths of their addresses: pages, also as Markdown, llms.txt, and
 * scripts, styles and the index of the search, whose names change with their content, so that browsers may cache them forever.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import MiniSearch from 'minisearch'
import { bundle } from '../bundle.mjs'
import { PAGES as FOLDER, ROOT } from '../paths.mjs'
import { escapeHtml, plainMarkdown, renderMarkdown } from './markdown.mjs'
import { HOME, LLMS, markdownPath, NOT_FOUND, PAGES, SEARCH, TRY_IT } from './pages.mjs'
import { fillRecords } from './records.mjs'

const SOURCES = [
  'web/docs/main.ts',
  'web/docs/try.ts',
  'node_modules/swagger-ui-dist/swagger-ui.css',
  'build/docs/page.css',
]

const MAX_EXCERPT = 240

export async function buildDocs() {
  const texts = PAGES.map(page => {
    const source = page.path === '/docs/changelog' ? 'CHANGELOG.md' : markdownPath(page.path)
    return { ...page, text: fillRecords(readFileSync(join(ROOT, source), 'utf8')) }
  })
  const { find } = await bundle('docs/assets', SOURCES)
  const bundled = entry => find(entry).path
  const assets = { script: bundled('main.ts'), styles: [bundled('page.css')], index: writeIndex(texts) }
  for (const { path, text } of texts) {
    write(`${path}.html`, renderPage(path, text, assets))
    write(markdownPath(path), plainMarkdown(text))
  }
  write('/docs/search.html', renderPage('/docs/search', SEARCH, assets))
  const styles = [bundled('swagger-ui.css'), bundled('page.css')]
  write('/docs/try.html', renderPage('/docs/try', TRY_IT, { script: bundled('try.ts'), styles }))
  write('/index.html', renderPage('/', HOME, assets))
  write('/404.html', renderPage('', NOT_FOUND, assets))
  write('/llms.txt', LLMS)
}

/** Writes the index of the search: an entry for each section. @returns its path */
function writeIndex(texts) {
  const options = { fields: ['title', 'text'], storeFields: ['page', 'title', 'excerpt'] }
  const index = new MiniSearch(options)
  for (const { path, name, text } of texts) {
    for (const section of renderMarkdown(text).sections)
      index.add({ ...section, id: `${path}#${section.id}`, page: name, excerpt: section.excerpt.slice(0, MAX_EXCERPT) })
  }
  const json = JSON.stringify({ index, options })
  const path = `/docs/assets/search-${createHash('sha256').update(json).digest('hex').slice(0, 8)}.json`
  write(path, json)
  return path
}

function write(path, text) {
  mkdirSync(dirname(join(FOLDER, path)), { recursive: true })
  writeFileSync(join(FOLDER, path), text)
}

const TRY = { path: '/docs/try', name: 'Try it', readers: 'Partners' }

/** Renders a page as HTML. @param assets the paths of the script, the stylesheets and the index of the search */
function renderPage(path, text, { script, styles, index }) {
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
