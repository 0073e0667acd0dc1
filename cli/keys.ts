/** `partner-metrics keys`: issues, rotates and deactivates API keys. */
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import {
  ANALYST_SCOPE,
  deactivateKey,
  findKeyId,
  type IssuedKey,
  issueKey,
  type KeyGrant,
  LISTED,
  rotateKey,
  SCOPES,
} from '../db/api-keys/api-keys'
import { isWellFormed, keyHash } from '../db/api-keys/key-format'
import { parseRate, RATE_FORM, type Rate } from '../db/api-keys/rate'
import { OperatorError } from '../db/operator-error'
import { transact } from '../db/transaction'
import { type Invocation, UsageError } from './invocation'
import { readableKey } from './operations/columns'
import { type OwnerSession, withOwner } from './operations/owner'
import { formatRow } from './operations/summary'
import { addChoices, durationValue, expiryValue, optionValue } from './option-values'
import { unlessShutdown } from './shutdown'

interface KeyOptions {
  company?: string[]
  none?: boolean
  allCompanies?: boolean
  scope?: string[]
  reseller?: boolean
  label?: string
  rate?: Rate
  expires?: string
  overlap?: number
}

export function register(program: Command, invocation: Invocation): void {
  const keys = program.command('keys').description('issue, rotate and deactivate API keys')
  const id = () => new Argument('<id>', 'id of the key, or - to read the key itself from standard input')

  keys
    .command('issue')
    .description('issue a key and print it once')
    .option('--company <id...>', 'companies whose data the key can read, by id or name')
    .addOption(noCompany())
    .option('--all-companies', `every company, with the scope ${ANALYST_SCOPE} only`)
    .addOption(addChoices(new Option('--scope <scope...>', 'further permissions'), SCOPES))
    .option('--reseller', 'the legacy list of assets returns rows instead of ids')
    .option('--label <label>', 'name of the key in lists and logs', optionValue)
    .option('--rate <rate>', `rate limit: ${RATE_FORM} (default: RATE_LIMIT)`, parseRateOption)
    .option('--expires <end>', 'the last day (UTC) or the instant at which it ends (default: never)', expiryValue)
    .action(async (options: KeyOptions) => {
      const grant = parseGrant(options)
      await withOwner(invocation, ({ pool, settings }) =>
        transact(pool, LISTED, async client => {
          await printIssued(invocation, await issueKey(client, settings.environment, grant))
          return { commit: true, result: undefined }
        }),
      )
    })

  keys
    .command('rotate')
    .addArgument(id())
    .description('replace a key: issue a new one and deactivate the old one in the same transaction')
    .option(
      '--overlap <duration>',
      'for how long the old key stays valid, e.g. 24h, at most 30d (default: not at all)',
      durationValue,
    )
    .action((reference: string, options: KeyOptions) =>
      withKey(invocation, reference, async ({ pool, settings }, id) => {
        const onIssued = (issued: IssuedKey, oldKeyExpiresAt: string | null) =>
          printIssued(invocation, issued, oldKeyExpiresAt)
        await rotateKey(pool, settings.environment, id, { ...options, onIssued })
      }),
    )

  keys
    .command('deactivate')
    .addArgument(id())
    .description('deactivate a key permanently')
    .action(async (reference: string) => {
      const key = await withKey(invocation, reference, ({ pool }, id) => deactivateKey(pool, id))
      const outcome = key.changed ? 'is deactivated' : `was already deactivated at ${key.deactivated_at}`
      invocation.printResult(key, () => `the key ${key.id} ${outcome}`)
    })
}

/** Returns the option `--no-company`, which Commander would treat as the negation of `--company`. */
function noCompany(): Option {
  const option = new Option('--no-company', 'the key reads no company')
  option.negate = false
  option.attributeName = () => 'none'
  return option
}

function parseRateOption(text: string): Rate {
  const rate = parseRate(text)
  if (!rate) throw new InvalidArgumentError(`It must have the form ${RATE_FORM}.`)
  return rate
}

function parseGrant(options: KeyOptions): KeyGrant {
  const { company, none, allCompanies, scope = [], reseller = false, label, rate, expires } = options
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
    expires_at: expires ?? null,
  }
}

/** Prints a key before the commit: if the process or the output is lost, no key is in force that nobody has. */
async function printIssued(
  invocation: Invocation,
  issued: IssuedKey,
  oldKeyExpiresAt: string | null = null,
): Promise<void> {
  const { deactivated_at: _deactivated, last_used_on: _used, ...document } = issued
  const { key, ...grant } = readableKey(document)
  const overlap = oldKeyExpiresAt && { old_key_expires_at: oldKeyExpiresAt }
  invocation.printResult({ ...document, ...overlap }, () => [
    key,
    '',
    ...formatRow(grant),
    ...(overlap ? ['', `The old key stays valid until ${oldKeyExpiresAt}.`] : []),
    '',
    'The key is not stored and cannot be shown again.',
  ])
  await invocation.handOver()
}

/** Runs `work` with the id of a key. @param reference the id, or `-` to read the key itself from standard input */
export async function withKey<Result>(
  invocation: Invocation,
  reference: string,
  work: (session: OwnerSession, id: string) => Promise<Result>,
): Promise<Result> {
  const hash = reference === '-' ? await readKeyHash(invocation) : undefined
  return withOwner(invocation, async session => work(session, hash ? await findKeyId(session.pool, hash) : reference))
}

/** Returns the hash of the key in the first line of standard input. @throws OperatorError INVALID_KEY */
async function readKeyHash(invocation: Invocation): Promise<Buffer> {
  const key = (await unlessShutdown(() => readLine(invocation))).trim()
  if (isWellFormed(key)) return keyHash(key)
  throw new OperatorError('INVALID_KEY', 'standard input does not contain an API key, or the key is mistyped')
}

function readLine({ stdin, printMessage }: Invocation): Promise<string> {
  const { isTTY: terminal = false } = stdin
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output, terminal })
  // On a terminal without echo, Ctrl+C is a character.
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  // Only now, since the terminal echoes before.
  if (terminal) printMessage('Enter the API key; it is not shown:')
  return new Promise(resolve => {
    lines.once('line', line => {
      resolve(line)
      lines.close()
    })
    lines.once('close', () => resolve(''))
  })
}
