/**
 * /docs: the guide that leads a new partner from a key to first numbers, and below it the reference. The guide's text is
 * guide.md; its figures, names and examples come from where they are defined.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GraphQLEnumType, GraphQLSchema } from 'graphql'
import { type Environment, prefixOf } from '../../db/api-keys/key-format'
import { dateOf, dayNumber } from '../../db/calendar/local-days'
import { MIN_IMPRESSIONS } from '../../resolvers/demographics'
import { MAX_PAGE_SIZE } from '../../resolvers/limits/pages'
import { MAX_DAYS, MAX_DAYS_OTHERWISE } from '../../resolvers/limits/ranges'
import { ERRORS, type ErrorCode } from '../../schema/errors'
import type { Grain } from '../../schema/generated'
import { errorsOf, headerExample } from '../openapi/openapi'
import { assetId, DEFAULT_LIMIT, MAX_ASSET_IDS } from '../routes/params'
import type { Route } from '../routes/route'
import { EXAMPLES } from './examples'
import { tableOf } from './markdown'
import { renderPage } from './page'
import { reference } from './reference'

/** What the page needs of the bundle, by its paths. */
export interface Bundle {
  styles: string[]
  scripts: string[]
}

/** The page as HTML. @param now milliseconds since 1970: the examples ask for the days before */
export function guidePage(schema: GraphQLSchema, routes: Route[], bundle: Bundle, now: number): string {
  const today = dayNumber(new Date(now).toISOString().slice(0, 10))
  return renderPage({
    path: '/docs',
    text: readFileSync(join(__dirname, 'guide.md'), 'utf8'),
    insertions: {
      prefix: environment => prefixOf(environment as Environment),
      asset: () => String(assetId.example),
      day: ago => dateOf(today - Number(ago)),
      answer: operation => json(Object.values(EXAMPLES.answers[operation] ?? {})[0]?.value),
      error: code => json(EXAMPLES.errors[code]),
      default_limit: () => String(DEFAULT_LIMIT),
      most_rows: () => String(MAX_PAGE_SIZE),
      most_assets: () => String(MAX_ASSET_IDS),
      fewest: () => String(MIN_IMPRESSIONS),
      header: headerExample,
      limits: () => limits(schema),
      errors: () => errors(routes),
    },
    below: reference(routes),
    ...bundle,
  })
}

function limits(schema: GraphQLSchema): string {
  const grains = (schema.getType('Grain') as GraphQLEnumType).getValues()
  return tableOf(
    ['grain', 'a bucket is', 'days in a request, at most'],
    grains.map(({ name, description }) => [
      `\`${name}\``,
      (description ?? '').replace(/\.$/, ''),
      (MAX_DAYS[name as Grain] ?? MAX_DAYS_OTHERWISE).toLocaleString('en'),
    ]),
  )
}

function errors(routes: Route[]): string {
  const given = new Set(routes.flatMap(errorsOf))
  const codes = (Object.keys(ERRORS) as ErrorCode[]).filter(code => given.has(code))
  return tableOf(
    ['code', 'status', 'when', 'details'],
    codes.map(code => {
      const { status, when, details } = ERRORS[code]
      const named = Object.keys(details).map(name => `\`${name}\``)
      return [`\`${code}\``, String(status), when, named.join(', ')]
    }),
  )
}

/** A value as a block of JSON, with whatever has nothing nested on one line. */
function json(value: unknown): string {
  if (value === undefined) throw new Error('no such example was recorded')
  const lines = JSON.stringify(value, null, 2).replace(
    /([{[])\n\s+([^{}[\]]*?)\n\s+([}\]])/g,
    (_, open, inner, close) => {
      const flat = inner.replace(/\n\s+/g, ' ')
      return open === '{' ? `{ ${flat} }` : `[${flat}]${close === ']' ? '' : close}`
    },
  )
  return `\`\`\`json\n${lines}\n\`\`\``
}
