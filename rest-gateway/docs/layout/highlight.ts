/** Marks the parts of code that have colors, with one letter per color: pages stay small. */
import Prism, { type Token } from 'prismjs'
import 'prismjs/components/prism-bash'
import 'prismjs/components/prism-graphql'
import 'prismjs/components/prism-json'
import 'prismjs/components/prism-python'
import 'prismjs/components/prism-sql'
import 'prismjs/components/prism-typescript'
import { escapeHtml } from './escape-html'

const GRAMMARS: Record<string, string> = { sh: 'bash', ts: 'typescript' }

/** The classes of the tokens that have a color; page.css has them. */
const CLASSES: Record<string, string> = {
  comment: 'c',
  string: 's',
  'triple-quoted-string': 's',
  keyword: 'k',
  builtin: 'k',
  boolean: 'n',
  number: 'n',
  property: 'p',
  function: 'p',
}

/** Returns code as HTML. Code of an unknown language has no colors. */
export function highlight(code: string, language: string): string {
  const grammar = Prism.languages[GRAMMARS[language] ?? language]
  return grammar ? render(Prism.tokenize(code, grammar)) : escapeHtml(code)
}

const render = (tokens: readonly (string | Token)[]): string => tokens.map(renderToken).join('')

function renderToken(token: string | Token): string {
  if (typeof token === 'string') return escapeHtml(token)
  const letter = CLASSES[token.type]
  // A string is one color, whatever it contains.
  const content = letter ? escapeHtml(textOf(token)) : render([token.content].flat())
  return letter ? `<span class="${letter}">${content}</span>` : content
}

const textOf = (token: string | Token): string =>
  typeof token === 'string' ? token : [token.content].flat().map(textOf).join('')
