/** `partner-metrics keys`: issues, rotates, deactivates and lists API keys. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import {
  ANALYST_SCOPE,
  deactivateKey,
  type IssuedKey,
  issueKey,
  type Key,
  type KeyGrant,
  readKeys,
  rotateKey,
  SCOPES,
} from '../db/api-keys/api-keys'
import { formatRate, parseRate, RATE_FORM, type Rate } from '../db/api-keys/rate'
import { type Pool, withPool } from '../db/postgres/pool'
import { withDatabase } from './database'
import { optionValue } from './option-value'
import { createTable, printResult, UsageError } from './output'
import { readSettings, type Settings } from './settings'

interface Options {
  json?: boolean
  company?: string[]
  none?: boolean
  allCompanies?: boolean
  scope?: string[]
  reseller?: boolean
  label?: string
  rate?: Rate
}

export function register(program: Command): void {
  const keys = program.command('keys').description('issue, rotate, deactivate and list API keys')
  const json = () => new Option('--json', 'print one JSON document')

  keys
    .command('issue')
    .description('issue a key and print it once')
    .option('--company <id...>', 'companies whose data the key can read, by id or name')
    .addOption(noCompany())
    .option('--all-companies', `every company, with the scope ${ANALYST_SCOPE} only`)
    .addOption(new Option('--scope <scope...>', 'further permissions').choices(SCOPES))
    .option('--reseller', 'the legacy list of assets returns rows instead of ids')
    .option('--label <label>', 'name of the key in lists and logs', optionValue)
    .option('--rate <rate>', `rate limit: ${RATE_FORM} (default: RATE_LIMIT)`, parseRateOption)
    .addOption(json())
    .action(async (options: Options) => {
      const grant = grantOf(options)
      const issued = await withKeys((db, { environment }) => issueKey(db, environment, grant))
      printIssued(issued, options)
    })

  keys
    .command('rotate <id>')
    .description('replace a key: issue a new one and deactivate the old one in the same transaction')
    .addOption(json())
    .action(async (id: string, options: Options) => {
      await withKeys((db, { environment }) => rotateKey(db, environment, id, issued => printIssued(issued, options)))
    })

  keys
    .command('deactivate <id>')
    .description('deactivate a key for good')
    .addOption(json())
    .action(async (id: string, options: Options) => {
      const key = await withKeys(db => deactivateKey(db, id))
      const outcome = key.changed ? 'is deactivated' : `was already deactivated at ${key.deactivated_at}`
      printResult(options.json === true, key, () => `the key ${id} ${outcome}`)
    })

  keys
    .command('list')
    .description('list all keys')
    .addOption(json())
    .action(async (options: Options) => {
      const all = await withKeys(db => readKeys(db))
      printResult(options.json === true, { keys: all }, () => (all.length > 0 ? tableOf(all) : 'there are no keys'))
    })
}

/** The option `--no-company`, which Commander would treat as the negation of `--company`. */
function noCompany(): Option {
  const option = new Option('--no-company', 'no company at all')
  option.negate = false
  option.attributeName = () => 'none'
  return option
}

/** @throws InvalidArgumentError */
function parseRateOption(text: string): Rate {
  const rate = parseRate(text)
  if (!rate) throw new InvalidArgumentError(`It has the form ${RATE_FORM}.`)
  return rate
}

function grantOf({ company, none, allCompanies, scope = [], reseller = false, label, rate }: Options): KeyGrant {
  if ([company, none, allCompanies].filter(Boolean).length !== 1) {
    throw new UsageError('USAGE', 'give exactly one of --company, --no-company and --all-companies')
  }
  if (allCompanies && !scope.includes(ANALYST_SCOPE)) {
    throw new UsageError('USAGE', `--all-companies needs --scope ${ANALYST_SCOPE}`)
  }
  if (label !== undefined && (label === '' || [...label].length > 200)) {
    throw new UsageError('USAGE', '--label must have 1 to 200 characters')
  }
  return {
    companies: allCompanies ? 'all' : (company ?? []),
    scopes: scope,
    reseller,
    label: label ?? null,
    rate: rate ?? null,
  }
}

function withKeys<Result>(work: (db: Pool, settings: Settings) => Promise<Result>): Promise<Result> {
  const settings = readSettings(process.env)
  const config = { max: 1, connectionTimeoutMillis: settings.connectTimeoutMs }
  return withDatabase(settings, ({ ownerUrl }) => withPool(ownerUrl, config, db => work(db, settings)))
}

function printIssued({ deactivated_at, ...issued }: IssuedKey, { json = false }: Options): void {
  const { key, id, environment } = issued
  const scopes = issued.scopes.join(', ') || 'none'
  printResult(json, issued, () => [
    key,
    '',
    `id           ${id}`,
    `environment  ${environment}`,
    `companies    ${companiesOf(issued).join(', ') || 'none'}`,
    `scopes       ${scopes}${issued.reseller ? ', reseller' : ''}`,
    `rate         ${issued.rate ? formatRate(issued.rate) : 'the default'}`,
    '',
    'The key is not stored and cannot be shown again.',
  ])
}

const companiesOf = (key: Pick<Key, 'companies' | 'all_companies'>): string[] =>
  key.all_companies ? ['all'] : key.companies.map(company => company.name)

function tableOf(keys: Key[]): string {
  const table = createTable(['id', 'label', 'companies', 'scopes', 'rate', 'environment', 'created', 'deactivated'])
  for (const key of keys) {
    const scopes = [...key.scopes, ...(key.reseller ? ['reseller'] : [])].join('\n')
    const { id, label, environment, created_at, deactivated_at } = key
    const rate = key.rate ? formatRate(key.rate) : ''
    const cells = [id, label ?? '', companiesOf(key).join('\n'), scopes, rate, environment, created_at]
    table.push([...cells, deactivated_at ?? ''])
  }
  return table.toString()
}
