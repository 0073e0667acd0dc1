/** Words that people ask with, and the words of the documentation for them. */

/** A line for each subject: the words that are asked with, then those that are searched as well. */
const SYNONYMS = `
page pages paging paginate pagination next iterate: pagination cursor limit
timezone timezones tz utc gmt localtime: zone zones local dates
dst daylight summertime wintertime summer winter: clock clocks zones
node nodejs javascript js ts npm typescript: quickstart client library typescript
code sample samples snippet example examples tutorial begin hello: quickstart getting started
auth authenticate login signin credentials password unauthorized 401: authentication key
key keys apikey token header headers secret: authentication key
leaked leak stolen compromised rotate renew replace rotation revoke: authentication rotate key replaced
expire expires expired expiry: expired invalid
forbidden denied permission permissions 403: scope insufficient
throttle throttled throttling quota quotas 429 ratelimit allowed many requests: rate limits limited
400 bad: invalid parameter
404 missing: not found
410: resync required
500 503 504 down outage crash: unavailable internal timeout retry
retry retries backoff: retry rate unavailable
null empty blank zero nothing: missing null
gap gaps hole holes incomplete absent: gaps missing coverage
accuracy accurate quality reliable completeness: coverage methodology
excel xls xlsx spreadsheet spreadsheets umlauts umlaut accents encoding semicolon semicolons: spreadsheets excel formats encoding
sheets gsheet appscript: google sheets spreadsheets
powerbi bi tableau looker metabase powerquery: power query spreadsheets parquet
csv export download dump file files: formats csv
sync synchronize replicate mirror etl nightly incremental delta: copy changes
database warehouse: copy delivery
bulk batch multiple once together single: impressions together
new updated modified changed change changes since: changes copy
hourly hours: hour
busiest peak rush typical pattern: typical week profile
age gender sex men women male female demographic audience: demographics
home origins come visitors: city region home
unique distinct people reach: reach visitors
period span range maximum longest: ranges range grains
realtime real live stream streaming websocket sse latency fresh freshness delay delayed: streaming live visible imported
push notify notification notifications callback subscribe event events: webhooks changes
sandbox staging demo mock fake dummy test: sandbox test
sla uptime availability guarantee: sla status
sdk sdks library libraries package wrapper: client library sdks
java php go golang ruby csharp dotnet rust kotlin swift: languages generated clients sdks
python pandas: python quickstart
call calls: request
oauth jwt bearer sso saml: oauth authentication
post patch write upload create delete insert: writing
invoice billing bill dispute reconcile audit snapshot: as_of final changed number
differ differs different wrong mismatch discrepancy: number changed restatements
final closed settled provisional preliminary: final closed months
restated correction corrections corrected revised: restatements changed
breaking compatible compatibility deprecation deprecated sunset versioning version: notice additive policy versioning
schema swagger openapi codegen generator generate zod: openapi generated clients
postman insomnia: postman sdks openapi
ai chatgpt claude gpt llm agent agents copilot gemini mcp assistant: assistants
offline dead health healthy unhealthy: health sensor sensors
cors browser frontend origin: origin origins authentication
support help contact email ask: contact
cache caching etag 304 unchanged: caching
compress compression gzip brotli: compressed caching
mean avg: average
sum total totals overall: total aggregate
weekly monthly quarter quarterly year yearly: grain grains
older history kept retention retain archive purge: retention kept
old former previous: legacy migrating
import imports load loading ingest: importing
minutely interval resolution granularity: grain grains finest
filter where country city region: filters
sort sorting order: sorting
fields columns select: fields
privacy gdpr personal anonymous faces video camera: persons images suppression
measured measure measurement methodology counted counting: methodology measured
mrc ooh openooh standard standards accredited certified: methodology standards
vac ots lts viewability visibility: level methodology
dwell attention: attention dwell methodology
price cost cpm revenue campaign campaigns play plays: plays campaigns
forecast predict prediction planning future: forecasts
dashboard ui portal report reports: dashboard explorer
s3 sftp ftp bucket bigquery snowflake: delivery parquet
graphql query queries: graphql analysts explorer
legacy migrate migration upgrade v2: migrating legacy
moved relocation relocated: move moved moving sensors
install installation setup deploy docker kubernetes container: install container start
restore recovery disaster: backup restore
monitoring prometheus grafana alerting alerts: metrics alerts
search lookup wildcard partial substring: name_contains filters
suppressed withheld small hidden: suppressed suppression
trace tracing requestid correlation: request ids tracing
log logs logging: logs
`

export const EXPANSIONS: ReadonlyMap<string, readonly string[]> = new Map(
  SYNONYMS.trim()
    .split('\n')
    .flatMap(line => {
      const [asked = '', searched = ''] = line.split(': ')
      return asked.split(' ').map(word => [word, searched.split(' ')] as const)
    }),
)
