/** The search page: the sections of all pages. With JavaScript, web/docs/search.ts lists those that have the reader's words. */
import { renderMarkdown } from '../layout/markdown'
import { PAGES, type PagePath } from '../pages'

interface SearchEntry {
  /** The address of the section. */
  id: string
  title: string
  page: string
  text: string
}

/** Returns the sections of all pages. @param texts in Markdown */
export const listEntries = (texts: Record<PagePath, string>): SearchEntry[] =>
  PAGES.flatMap(({ path, name }) =>
    renderMarkdown(texts[path]).sections.map(({ id, title, text }) => ({
      id: `${path}#${id}`,
      title,
      page: name,
      text,
    })),
  )

/** Returns Markdown. @param index the path of the index that the build made */
export function searchText(texts: Record<PagePath, string>, index = ''): string {
  const pages = PAGES.map(({ path, name, about }) => {
    const sections = renderMarkdown(texts[path]).sections.filter(({ level }) => level === 2)
    const links = sections.map(({ id, title }) => `[${title}](${path}#${id})`)
    return `## [${name}](${path}) {#${name.toLowerCase()}}\n\n${about}.\n\n${links.join(' · ')}`
  })
  return `# Search\n\n<div id="contents" data-index="${index}">\n\n${pages.join('\n\n')}\n\n</div>\n`
}
