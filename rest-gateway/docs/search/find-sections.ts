/** Finds the sections that answer a question: any of its words or their synonyms, best first. */
import type MiniSearch from 'minisearch'
import type { SearchResult } from 'minisearch'
import type { SearchEntry } from './entries'
import { processTerm, tokenize, WORD } from './options'
import { EXPANSIONS } from './synonyms'

/** Partners ask most. What is for others has to match better, and the changelog comes last. */
const READER_WEIGHTS = { Partners: 1, Analysts: 0.5, Operators: 0.4 }

const SYNONYM_WEIGHT = 0.6

export interface FoundSection {
  /** The address of the section. */
  href: string
  title: string
  page: string
  /** Pieces of the text around the first match; those at odd positions match. */
  excerpt: string[]
}

export function findSections(index: MiniSearch<SearchEntry>, question: string): FoundSection[] {
  const words = [...new Set(tokenize(question).map(processTerm))].filter(word => word !== null)
  const groups = words.map(word => [word, stemOf(word), ...(EXPANSIONS.get(word) ?? [])])
  const results = index.search(
    { combineWith: 'OR', queries: [...new Set(groups.flat())] },
    {
      boost: { title: 3 },
      prefix: term => term.length > 2,
      fuzzy: term => (term.length > 3 ? 0.15 : false),
      boostTerm: term => (words.includes(term) ? 1 : SYNONYM_WEIGHT),
      boostDocument: (_, __, stored) => READER_WEIGHTS[stored?.readers as SearchEntry['readers']],
    },
  )
  const share = ({ queryTerms }: SearchResult) =>
    groups.filter(group => group.some(term => queryTerms.includes(term))).length / groups.length
  const isLast = ({ page }: SearchResult) => Number(page === 'Changelog')
  return results
    .map(result => ({ result, score: result.score * share(result) }))
    .sort((a, b) => isLast(a.result) - isLast(b.result) || b.score - a.score)
    .map(({ result }) => ({
      href: result.id,
      title: result.title,
      page: result.page,
      excerpt: cutExcerpt(result.text, new Set(result.terms)),
    }))
}

const MIN_STEM = 5

/** Returns the beginning that a word has in common with others of its family, such as expire, expired and expiry. */
const stemOf = (word: string): string => word.slice(0, Math.max(MIN_STEM, word.length - 3))

const BEFORE = 60
const EXCERPT = 220

/** @returns pieces of the text around the first of the terms; those at odd positions are terms */
function cutExcerpt(text: string, terms: ReadonlySet<string>): string[] {
  const matches = [...text.matchAll(WORD)].filter(([word]) =>
    tokenize(word).some(part => terms.has(processTerm(part) ?? '')),
  )
  const first = matches[0]?.index ?? 0
  const start = first <= BEFORE ? 0 : text.lastIndexOf(' ', first - BEFORE) + 1
  const space = text.indexOf(' ', start + EXCERPT)
  const end = space === -1 ? text.length : space
  const pieces: string[] = []
  let last = start
  for (const { index, 0: word } of matches) {
    if (index >= end) break
    pieces.push(text.slice(last, index), word)
    last = index + word.length
  }
  pieces.push(text.slice(last, end).trimEnd() + (end < text.length ? ' …' : ''))
  pieces[0] = (start > 0 ? '… ' : '') + pieces[0]
  return pieces
}
