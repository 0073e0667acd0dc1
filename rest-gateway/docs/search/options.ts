/** The index of the search, as the build makes it and the page reads it. An id is the address of a section. */
import type { Options } from 'minisearch'
import type { SearchEntry } from './entries'

/** Words of questions that say nothing about the answer. */
const STOP_WORDS = new Set(
  `a about all an and any anything api are as at be between but by can could data did do does doesn for from get give given got had has have how
  i if in into is isn it its just like many may me much must my need of on one or our per please s should so some t than that the their
  them then there these they this to up us use used using want was we what when where which who will with without work works would you your`.split(
    /\s+/,
  ),
)

/** Returns a word as it is indexed and searched; null for one that says nothing. */
export function processTerm(word: string): string | null {
  const term = word.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '')
  return term === '' || STOP_WORDS.has(term) ? null : term
}

/** Words, with the names of parameters as a whole and in parts. */
export const WORD = /[\p{L}\p{N}_]+/gu

export const tokenize = (text: string): string[] =>
  (text.match(WORD) ?? []).flatMap(word => (word.includes('_') ? [word, ...word.split('_')] : word))

export const SEARCH_OPTIONS = {
  fields: ['title', 'text'],
  storeFields: ['title', 'page', 'readers', 'text'],
  processTerm,
  tokenize,
} satisfies Options<SearchEntry>
