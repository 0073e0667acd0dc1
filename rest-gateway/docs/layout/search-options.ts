/** The index of the search, as the build makes it and the page reads it. An id is the address of a section. */
export const SEARCH_OPTIONS = {
  fields: ['title', 'text'],
  storeFields: ['title', 'page'],
  searchOptions: { boost: { title: 3 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' as const },
}
