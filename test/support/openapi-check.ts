/**
 * Checks responses against the OpenAPI document of the service. The document allows more fields than it has, for clients; here, a field
 * that it does not have is an error. This module is loaded once for each Jest worker, so that schemas are compiled once.
 */
import Ajv, { type ValidateFunction } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { errorSchema } from '../../rest-gateway/shape/data-schema'
import { ERRORS, type ErrorCode } from '../../schema/errors'
import type { TestResponse } from './http'

interface Reference {
  $ref?: string
}

interface Header extends Reference {
  required?: boolean
  schema?: object
  example?: unknown
}

interface Content {
  schema: object
  example?: unknown
}

interface Response extends Reference {
  headers?: Record<string, Header>
  content?: Record<string, Content>
}

interface Operation {
  operationId: string
  parameters: { name: string; schema: object; example?: unknown }[]
  responses: Record<string, Response>
}

export interface OpenApiDocument {
  paths: Record<string, { get: Operation }>
  components: { headers: Record<string, Header>; responses: Record<string, Response> } & Record<string, object>
}

/** Headers of every HTTP server, or for proxies, which the document leaves out. */
const UNDOCUMENTED_HEADERS = [
  'access-control-allow-origin',
  'access-control-expose-headers',
  'date',
  'connection',
  'x-content-type-options',
  'keep-alive',
  'content-type',
  'content-length',
  'transfer-encoding',
  'content-encoding',
  'x-accel-buffering',
]

/** Errors of paths and methods that are not in the document. */
const ERRORS_WITHOUT_OPERATION: ErrorCode[] = [
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'BAD_REQUEST',
  'URI_TOO_LONG',
  'UNAVAILABLE',
  'INTERNAL',
]

/** The document that the services of this worker serve, and its entity tag. */
export const served: { tag?: string | undefined; document?: OpenApiDocument } = {}

/** @throws Error if the response contains something that is not documented */
export function checkResponse(
  document: OpenApiDocument,
  method: string,
  address: string,
  response: TestResponse,
): void {
  const mismatch = (message: string) =>
    new Error(`${method} ${address} returned ${response.status}: ${message}\n${response.text.slice(0, 500)}`)
  if (typeof response.body?.error === 'object') checkError(document, response, mismatch)
  const [path = ''] = address.split('?')
  const operation = Object.entries(document.paths).find(([template]) => matches(template, path))?.[1].get
  if (method === 'OPTIONS') return
  const code = response.body?.error?.code ?? response.body?.code
  const hasNoOperation = ERRORS_WITHOUT_OPERATION.includes(code) && (!operation || !['GET', 'HEAD'].includes(method))
  if (hasNoOperation || (!operation && !/^\/v1\/(partner|metrics)\//.test(path))) return
  const described = operation?.responses[response.status]
  if (!described) throw mismatch('the document has no such status')
  const documented = resolve<Response>(document, described)
  for (const [name, header] of Object.entries(documented.headers ?? {})) {
    const { required } = resolve<Header>(document, header)
    if (required && response.headers[name.toLowerCase()] === undefined) throw mismatch(`${name} is missing`)
  }
  const names = [...UNDOCUMENTED_HEADERS, ...Object.keys(documented.headers ?? {}).map(name => name.toLowerCase())]
  for (const name of Object.keys(response.headers)) {
    if (!names.includes(name)) throw mismatch(`the document has no header ${name}`)
  }
  const [type = ''] = String(response.headers['content-type'] ?? '').split(';')
  if (response.status === 200 && method !== 'HEAD' && !documented.content?.[type])
    throw mismatch(`the document has no ${type}`)
  if (type in (documented.content ?? {}) && type !== 'application/json' && type !== 'text/plain') return
  const schema = documented.content?.['application/json']?.schema
  const text = documented.content?.['text/plain']?.schema
  if (text && method !== 'HEAD') checkBody(document, text, response.text, mismatch)
  if (schema && method !== 'HEAD' && response.body !== undefined) {
    checkBody(document, schema, response.body, mismatch)
  }
  if (!schema && !text && response.text !== '') throw mismatch('the document has no body')
}

/** Returns the errors of a value under a schema of the document, undocumented fields among them. */
export function schemaErrors(document: OpenApiDocument, schema: object, value: unknown): string[] {
  const compile = compilers.get(document) ?? compilerOf(closeObjects(document))
  compilers.set(document, compile)
  return listErrors(compile(closeObjects(schema)), value)
}

/** Returns the errors that clients find, which validate against the document as it is. */
export const publishedErrors = (document: OpenApiDocument, schema: object, value: unknown): string[] =>
  listErrors(compilerOf(document)(schema), value)

/** Maps of the data, in which a field is another entry. */
const MAPS = ['external_ids']

/** Returns a value with a field more in each of its objects, as a later version of the service may send it. */
export function withMoreFields<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withMoreFields) as Value
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, each]) => [name, MAPS.includes(name) ? each : withMoreFields(each)])
  return Object.fromEntries([...fields, ['added_later', { since: 'v1.1' }]])
}

const listErrors = (validate: ValidateFunction, value: unknown): string[] =>
  validate(value) ? [] : [JSON.stringify(validate.errors)]

/** Returns a schema, or a document of schemas, whose objects have no other properties than those that are listed. */
function closeObjects<Schema>(schema: Schema): Schema {
  if (Array.isArray(schema)) return schema.map(closeObjects) as Schema
  if (typeof schema !== 'object' || schema === null) return schema
  const closed = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closeObjects(value)]))
  return ('properties' in schema && 'type' in schema ? { additionalProperties: false, ...closed } : closed) as Schema
}

type Mismatch = (message: string) => Error

function checkError(document: OpenApiDocument, { status, body }: TestResponse, mismatch: Mismatch): void {
  const code = body.error.code as ErrorCode
  if (!ERRORS[code]) throw mismatch('no such error code')
  if (ERRORS[code].status !== status) throw mismatch(`${code} has the status ${ERRORS[code].status}`)
  const { details = {}, optionalDetails = [] } = ERRORS[code]
  const names = Object.keys(body.error.details)
  const unknown = names.find(name => !(name in details))
  if (unknown) throw mismatch(`${code} has no detail ${unknown}`)
  const missing = Object.keys(details).find(name => !names.includes(name) && !optionalDetails.includes(name))
  if (missing) throw mismatch(`${missing} is missing in the details`)
  checkBody(document, errorSchema([code]), body.error, mismatch)
}

function checkBody(document: OpenApiDocument, schema: object, body: unknown, mismatch: Mismatch): void {
  const [error] = schemaErrors(document, schema, body)
  if (error) throw mismatch(`the body does not match its schema: ${error}`)
}

const compilers = new WeakMap<OpenApiDocument, (schema: object) => ValidateFunction>()

/** Compiles each schema and the shared components once. */
function compilerOf({ components }: OpenApiDocument): (schema: object) => ValidateFunction {
  // The linter of the document checks the schemas themselves.
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, discriminator: false, validateSchema: false })
  addFormats(ajv)
  ajv.addKeyword('components')
  ajv.addSchema({ components }, 'document')
  const validators = new Map<string, ValidateFunction>()
  return schema => {
    const text = JSON.stringify(schema)
    const validate = validators.get(text) ?? ajv.compile(JSON.parse(text.replaceAll('"#/', '"document#/')))
    validators.set(text, validate)
    return validate
  }
}

/** Returns the target of a reference within the document. */
function resolve<Target>(document: OpenApiDocument, { $ref, ...value }: Reference): Target {
  if (!$ref) return value as Target
  const [, ...steps] = $ref.split('/')
  return steps.reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], document) as Target
}

function matches(template: string, path: string): boolean {
  const [expected, actual] = [template.split('/'), path.split('/')]
  return (
    expected.length === actual.length &&
    expected.every((part, i) => (part.startsWith('{') ? actual[i] !== '' : part === actual[i]))
  )
}
