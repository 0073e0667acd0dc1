/** The search of the documentation: what people ask, and where the first three results have to lead. */
import MiniSearch from 'minisearch'
import { schema } from '../../../resolvers/schema'
import { PAGES } from '../../../rest-gateway/docs/pages'
import { listEntries, type SearchEntry } from '../../../rest-gateway/docs/search/entries'
import { findSections } from '../../../rest-gateway/docs/search/find-sections'
import { SEARCH_OPTIONS } from '../../../rest-gateway/docs/search/options'
import { EXPANSIONS } from '../../../rest-gateway/docs/search/synonyms'
import { pageTexts } from '../../../rest-gateway/docs/texts'
import { openApi } from '../../../rest-gateway/openapi/openapi'
import { compileRoute } from '../../../rest-gateway/request'
import { partnerRoutes } from '../../../rest-gateway/routes/all-routes'
import { legacyRoutes } from '../../../rest-gateway/routes/legacy'

/** A question and the sections that answer it: one of them has to be among the first three results. */
const QUESTIONS = `
  how do I page → /docs#pagination
  timezone → /docs#dates-and-time-zones
  cursor expired → /docs/errors#INVALID_CURSOR /docs/errors#RESYNC_REQUIRED
  node example → /docs#quickstart /docs/copies#client-library
  webhook → /docs/not-offered#webhooks
  sandbox → /docs/not-offered#sandbox
  SLA → /docs/not-offered#sla
  DST → /docs#dates-and-time-zones /docs/methodology#clock-changes
  where do I put my api key → /docs#authentication
  my key leaked → /docs#authentication /docs/operations#an-api-key-has-leaked
  401 unauthorized → /docs/errors#MISSING_API_KEY /docs/errors#INVALID_API_KEY
  why do I get 403 → /docs/errors#INSUFFICIENT_SCOPE /docs/errors#WRONG_ENVIRONMENT
  429 too many requests → /docs/errors#RATE_LIMITED /docs#rate-limits
  why is a value null → /docs#missing-data
  what does coverage mean → /docs/methodology#coverage /docs#missing-data
  download csv → /docs#formats /docs/spreadsheets#excel-open-a-file
  excel umlauts broken → /docs/spreadsheets#excel-open-a-file
  google sheets import → /docs/spreadsheets#google-sheets
  power bi → /docs/spreadsheets#power-query-excel-and-power-bi
  sync nightly into our database → /docs#keep-a-copy /docs/copies#keep-a-copy
  data for all assets in one call → /docs#grains-and-ranges /docs#operations-Impressions-ListImpressions
  busiest hour of the week → /docs#operations-Impressions-ReadImpressionsProfile
  age and gender of the audience → /docs#operations-Demographics-ReadDemographics /docs#operations-Demographics-ReadAggregateDemographics
  where do people come from → /docs#operations-Impressions-ReadImpressionsByCity /docs#operations-Impressions-ReadImpressionsByRegion
  maximum date range → /docs#grains-and-ranges /docs/errors#RANGE_TOO_LARGE
  real time → /docs/not-offered#streaming
  python sdk → /docs/not-offered#sdks /docs#quickstart
  oauth bearer token → /docs/not-offered#oauth
  invoice number differs from last month → /docs/changed-numbers#what-was-it-then /docs/changed-numbers#why-did-it-change /docs/changed-numbers#when-a-number-changed
  is the data final → /docs/changed-numbers#is-a-day-final
  breaking changes → /docs/policy#additive-changes /docs/policy#notice-and-life-of-a-version
  postman → /docs/not-offered#sdks
  chatgpt claude → /docs/assistants#assistants
  which sensors are offline → /docs#operations-Sensors-ListSensors /docs#missing-data
  import a csv of counts → /docs/operations#importing-counts /docs/operations#importing-files-as-they-come
  cors → /docs#authentication
  who do I contact → /docs/policy#contact
  total number of rows → /docs/not-offered#page-numbers /docs#pagination
  how fresh is the data → /docs/not-offered#streaming /docs#missing-data
  how do I find my old asset ids → /docs#operations-Legacy-LegacyMapIds /docs/migration#1-map-your-ids
  average per day → /docs#operations-Impressions-ReadImpressionsDaily /docs#operations-Impressions-ReadImpressionsSummary /docs#missing-data
  when does a week start → /docs#dates-and-time-zones
  gdpr → /docs/not-offered#persons
  is it MRC accredited → /docs/methodology#methodology /docs/methodology#level-of-the-counts
  how are people counted → /docs/methodology#measured-and-not-measured /docs/methodology#level-of-the-counts /docs/methodology#methodology
  why are demographics hidden → /docs/methodology#suppression
  sensor moved to another asset → /docs/operations#moving-sensors-and-correcting-mistakes /docs/changed-numbers#why-did-it-change
  what should I do on 503 → /docs/errors#UNAVAILABLE
  resync required → /docs/errors#RESYNC_REQUIRED
  graphql → /docs/analysts#for-analysts /docs/analysts#send-a-query
  csv decimal comma → /docs/spreadsheets#excel-open-a-file /docs#formats
  how long is history kept → /docs/policy#how-long-data-are-kept
  which companies can my key read → /docs#scope /docs#operations-Key-ReadMeta
  does the api support xml → /docs/not-offered#xml
  sensor health → /docs#operations-Sensors-ListSensors
  heat map of the week → /docs#operations-Impressions-ReadImpressionsProfile
  how do I know a month is closed → /docs/changed-numbers#is-a-day-final
  how to install → /docs/copies#copies-and-the-client-library /docs/operations#install
`

const routes = [...partnerRoutes, ...legacyRoutes].map(compileRoute)
const entries = listEntries(
  pageTexts(schema, routes, openApi(schema, routes) as Parameters<typeof pageTexts>[2], { now: Date.now() }),
)
const index = new MiniSearch<SearchEntry>(SEARCH_OPTIONS)
index.addAll(entries)

const find = (question: string) => findSections(index, question)

test.each(
  QUESTIONS.trim()
    .split('\n')
    .map(line => line.trim().split(' → ')),
)('“%s” leads to %s', (question = '', sections = '') => {
  const answers = sections.split(' ')
  expect(answers.filter(answer => !entries.some(({ id }) => id === answer))).toEqual([])
  const first = find(question)
    .slice(0, 3)
    .map(({ href }) => href)
  expect(first.some(href => answers.includes(href)) || first).toBe(true)
})

test('an excerpt shows the words around the first match, which are marked, and its pieces are the text', () => {
  for (const { href, excerpt } of find('expired cursors')) {
    const shown = excerpt.join('').replace(/^… | …$/g, '')
    expect(entries.find(({ id }) => id === href)?.text).toContain(shown)
    expect(shown.length).toBeLessThan(400)
  }
  const marked = find('rate limit')
    .slice(0, 3)
    .map(({ excerpt }) => excerpt.filter((_, i) => i % 2 === 1))
  for (const words of marked) expect(words.join(' ')).toMatch(/rate|limit/i)
})

test('sections for partners come before those for operators that match alike, and the changelog comes last', () => {
  const pages = find('csv').map(({ page }) => page)
  expect(pages.indexOf('Changelog')).toBeGreaterThan(pages.lastIndexOf('Operations'))
  expect(pages.slice(0, 5)).not.toContain('Operations')
  expect(pages.slice(pages.indexOf('Changelog')).filter(page => page !== 'Changelog')).toEqual([])
})

test('a question of words that say nothing, and an empty one, find nothing; markup is text', () => {
  expect([find('how do I'), find(''), find('?!')]).toEqual([[], [], []])
  expect(find('<b>webhook</b>')[0]?.href).toBe('/docs/not-offered#webhooks')
})

test('every page can be found by its name, and every synonym leads to a word of the documentation', () => {
  for (const { path, name } of PAGES.filter(page => page.name !== 'Changelog')) {
    const hits = find(name === 'Guide' ? 'getting started' : name).slice(0, 4)
    expect([name, hits.some(({ href }) => href.startsWith(`${path}#`))]).toEqual([name, true])
  }
  const dead = [...new Set([...EXPANSIONS.values()].flat())].filter(word => find(word).length === 0)
  expect(dead).toEqual([])
})
