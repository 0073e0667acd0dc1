/** The search page: the sections of all pages. With JavaScript, web/docs/search.ts lists those that have the reader's words. */
import { renderMarkdown } from '../layout/markdown'
import { PAGES, type PagePath } from '../pages'

export interface SearchEntry {
  /** The address of the section. */
  id: string
  title: string
  page: string
  readers: (typeof PAGES)[number]['readers']
  text: string
}

/** Returns the sections of all pages. @param texts in Markdown */
export const listEntries = (texts: Record<PagePath, string>): SearchEntry[] =>
  PAGES.flatMap(({ path, name, readers }) =>
    renderMarkdown(texts[path]).sections.map(({ id, title, text }) => ({
      id: `${path}#${id}`,
      title,
      page: name,
      readers,
      text,
    })),
  )

const SEARCH = '# Search'

/** Shown for addresses that do not exist. The script searches for the words of the address. */
const NOT_FOUND = '# Page not found\n\nThere is no page at this address. Search for what you need, or choose a page.'

/** Returns Markdown. @param index the path of the index that the build made */
export function searchText(texts: Record<PagePath, string>, index = '', isFound = true): string {
  const pages = PAGES.map(({ path, name, about }) => {
    const sections = renderMarkdown(texts[path]).sections.filter(({ level }) => level === 2)
    const links = sections.map(({ id, title }) => `[${title}](${path}#${id})`)
    return `## [${name}](${path}) {#${name.toLowerCase().replaceAll(' ', '-')}}\n\n${about}.\n\n${links.join(' · ')}`
  })
  return `${isFound ? SEARCH : NOT_FOUND}\n\n<div id="contents" data-index="${index}"${isFound ? '' : ' data-not-found'}>\n\n${pages.join('\n\n')}\n\n</div>\n`
}
