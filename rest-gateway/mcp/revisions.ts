/**
 * The revisions of the protocol. Since 2026-07-28 every request names its revision; before, `initialize` agreed on one. Both
 * are served by the same address, each request by itself.
 */
import type { Context } from '../state'
import { HEADER_MISMATCH, INVALID_PARAMS, isObject, type Message, MessageError, UNSUPPORTED_VERSION } from './messages'

/** Revisions with `initialize`, the latest first. They differ in what this server doesn't have. */
const WITH_INITIALIZE = ['2025-11-25', '2025-06-18', '2025-03-26']

/** Revisions whose requests name them. */
const STATELESS = ['2026-07-28']

const REVISIONS = [...STATELESS, ...WITH_INITIALIZE]

const SERVER = { name: 'partner-metrics', title: 'Partner metrics', version: 'v1' }

const CAPABILITIES = { tools: {} }

/** The list of tools and this description differ between versions of the service only. */
const CACHING = { ttlMs: 3_600_000, cacheScope: 'public' }

const PREFIX = 'io.modelcontextprotocol/'

/** The characters by which `complete` makes a result longer, or a few more. */
export const MAX_ENVELOPE = 200

/**
 * Returns whether the message is of a revision without `initialize`.
 *
 * @throws MessageError for a revision that is not served, and for what its revision requires
 */
export function isStateless({ id, method, params }: Message, ctx: Context): boolean {
  const header = ctx.get('MCP-Protocol-Version')
  const meta = isObject(params._meta) ? params._meta : {}
  const { [`${PREFIX}protocolVersion`]: named, [`${PREFIX}clientCapabilities`]: capabilities } = meta
  if (id === undefined || (named === undefined && !STATELESS.includes(header))) {
    // Clients of before there was the header send none.
    if (header !== '' && !REVISIONS.includes(header)) throw unsupported(id, header)
    return false
  }
  if (typeof named !== 'string') throw lacking(id, 'protocolVersion', 'a text')
  if (header !== named) throw mismatch(id, 'MCP-Protocol-Version', header, named)
  if (!REVISIONS.includes(header)) throw unsupported(id, header)
  if (!STATELESS.includes(header)) return false
  if (!isObject(capabilities)) throw lacking(id, 'clientCapabilities', 'an object')
  checkHeader(id, ctx, 'Mcp-Method', method)
  if (method === 'tools/call' && typeof params.name === 'string') checkHeader(id, ctx, 'Mcp-Name', params.name)
  return true
}

/** Proxies route by headers: they must say the same as the message. */
function checkHeader(id: Message['id'], ctx: Context, name: string, value: string): void {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(ctx.get(name)) ?? []
  const header = encoded === undefined ? ctx.get(name) : Buffer.from(encoded, 'base64').toString()
  if (header !== value) throw mismatch(id, name, header, value)
}

const mismatch = (id: Message['id'], name: string, header: string, value: string): MessageError =>
  new MessageError(
    id,
    HEADER_MISMATCH,
    header === ''
      ? `The header ${name} is missing.`
      : `The header ${name} is ${JSON.stringify(header.slice(0, 100))}, but the message has ${JSON.stringify(value.slice(0, 100))}.`,
  )

const lacking = (id: Message['id'], key: string, expected: string): MessageError =>
  new MessageError(id, INVALID_PARAMS, `params._meta must have ${PREFIX}${key}, ${expected}.`)

const unsupported = (id: Message['id'], requested: string): MessageError =>
  new MessageError(id, UNSUPPORTED_VERSION, `The protocol version must be one of ${REVISIONS.join(', ')}.`, {
    supported: REVISIONS,
    requested,
  })

/** @param result as JSON */
export const complete = (result: string): string =>
  `${JSON.stringify({ resultType: 'complete', _meta: { [`${PREFIX}serverInfo`]: SERVER } }).slice(0, -1)},${result.slice(1)}`

/** @param result as JSON */
export const cacheable = (result: string): string => `${JSON.stringify(CACHING).slice(0, -1)},${result.slice(1)}`

export const discover = (instructions: string): string =>
  JSON.stringify({ supportedVersions: REVISIONS, capabilities: CAPABILITIES, instructions })

export const initialize = (requested: unknown, instructions: string): string =>
  JSON.stringify({
    protocolVersion: WITH_INITIALIZE.find(revision => revision === requested) ?? WITH_INITIALIZE[0],
    capabilities: CAPABILITIES,
    serverInfo: SERVER,
    instructions,
  })
