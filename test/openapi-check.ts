/** Holds an answer against the OpenAPI document that the service itself hands out. */

import Ajv, { type ValidateFunction } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { ERRORS, type ErrorCode } from '../schema/errors'
import type { Answer } from './harness'

interface Response {
  headers?: Record<string, unknown>
  content?: Record<string, { schema: object }>
}

export interface OpenApiDocument {
  paths: Record<string, { get: { responses: Record<string, Response> } }>
  components: object
}

/** Headers that every HTTP server sends and no document tells. */
const USUAL = [
  'date',
  'connection',
  'keep-alive',
  'content-type',
  'content-length',
  'transfer-encoding',
  'content-encoding',
  'allow',
]

/** Headers that depend on when in the checks, or at what time, an answer was given. */
const SOMETIMES = /^(RateLimit|RateLimit-Policy|Deprecation|Link)$/

/** Answers that belong to no operation: to a path or method that the document does not have. */
const BEYOND: ErrorCode[] = [
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'BAD_REQUEST',
  'URI_TOO_LONG',
  'UNAVAILABLE',
  'INTERNAL',
]

/** @throws Error that says what the document does not know */
export function holdAgainst(document: OpenApiDocument, method: string, address: string, answer: Answer): void {
  const fault = (what: string) =>
    new Error(`${method} ${address} answered ${answer.status}: ${what}\n${answer.text.slice(0, 500)}`)
  if (typeof answer.body?.error === 'object') holdError(document, answer, fault)
  const [path = ''] = address.split('?')
  const operation = Object.entries(document.paths).find(([template]) => matches(template, path))?.[1].get
  if (method === 'OPTIONS') return
  const code = answer.body?.error?.code ?? answer.body?.code
  const beyond = BEYOND.includes(code) && (!operation || !['GET', 'HEAD'].includes(method))
  if (beyond || (!operation && !/^\/v1\/(partner|metrics)\//.test(path))) return
  const response = operation?.responses[answer.status]
  if (!response) throw fault('the document has no such status')
  for (const header of Object.keys(response.headers ?? {})) {
    if (answer.headers[header.toLowerCase()] === undefined && !SOMETIMES.test(header))
      throw fault(`${header} is missing`)
  }
  const known = [...USUAL, ...Object.keys(response.headers ?? {}).map(name => name.toLowerCase())]
  for (const header of Object.keys(answer.headers)) {
    const early = header.startsWith('ratelimit')
    if (!known.includes(header) && !early) throw fault(`the document has no header ${header}`)
  }
  const schema = response.content?.['application/json']?.schema
  if (schema && method !== 'HEAD' && answer.body !== undefined) hold(document, schema, answer.body, fault)
  if (schema === undefined && answer.text !== '') throw fault('the document has no body')
}

function holdError(document: OpenApiDocument, { status, body }: Answer, fault: (what: string) => Error): void {
  const kind = ERRORS[body.error.code as ErrorCode]
  if (!kind) throw fault('no such error code')
  if (kind.status !== status) throw fault(`${body.error.code} has the status ${kind.status}`)
  const name = (body.error.code as string)
    .toLowerCase()
    .replace(/(^|_)([a-z])/g, (_, __, letter) => letter.toUpperCase())
  hold(document, { $ref: `#/components/schemas/${name}` }, body, fault)
}

const validators = new WeakMap<OpenApiDocument, Map<string, ValidateFunction>>()

function hold(document: OpenApiDocument, schema: object, body: unknown, fault: (what: string) => Error): void {
  const known = validators.get(document) ?? new Map<string, ValidateFunction>()
  validators.set(document, known)
  const key = JSON.stringify(schema)
  let validate = known.get(key)
  if (!validate) {
    const ajv = new Ajv({ strict: true, allowUnionTypes: true, discriminator: false })
    addFormats(ajv)
    ajv.addKeyword('components')
    validate = ajv.compile({ ...schema, components: document.components } as object)
    known.set(key, validate)
  }
  if (!validate(body)) throw fault(`not as the document says: ${JSON.stringify(validate.errors)}`)
}

function matches(template: string, path: string): boolean {
  const [there, here] = [template.split('/'), path.split('/')]
  return (
    there.length === here.length && there.every((part, i) => (part.startsWith('{') ? here[i] !== '' : part === here[i]))
  )
}
