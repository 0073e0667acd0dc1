/** Holds an answer against the OpenAPI document that the service itself hands out, and the document's examples against it. */
import Ajv, { type ValidateFunction } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { errorName } from '../../rest-gateway/openapi/error-responses'
import { ERRORS, type ErrorCode } from '../../schema/errors'
import type { Answer } from './service'

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
  examples?: Record<string, Reference & { value?: unknown }>
}

interface Response {
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
  components: { headers: Record<string, Header> } & Record<string, object>
}

/** Headers that every HTTP server sends and no document tells. */
const USUAL = [
  'access-control-allow-origin',
  'access-control-expose-headers',
  'date',
  'connection',
  'keep-alive',
  'content-type',
  'content-length',
  'transfer-encoding',
  'content-encoding',
]

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
  for (const [name, header] of Object.entries(response.headers ?? {})) {
    const { required } = resolve<Header>(document, header)
    if (required && answer.headers[name.toLowerCase()] === undefined) throw fault(`${name} is missing`)
  }
  const known = [...USUAL, ...Object.keys(response.headers ?? {}).map(name => name.toLowerCase())]
  for (const name of Object.keys(answer.headers)) {
    if (!known.includes(name)) throw fault(`the document has no header ${name}`)
  }
  const schema = response.content?.['application/json']?.schema
  if (schema && method !== 'HEAD' && answer.body !== undefined) hold(document, schema, answer.body, fault)
  if (schema === undefined && answer.text !== '') throw fault('the document has no body')
}

/** Where the document should have examples, what it has there, and the schema that they must satisfy. */
export function examplesOf(document: OpenApiDocument): { where: string; schema: object; values: unknown[] }[] {
  const given = (value: unknown) => (value === undefined ? [] : [value])
  const headers = Object.entries(document.components.headers).map(([name, { schema, example }]) => ({
    where: name,
    schema: schema as object,
    values: given(example),
  }))
  const operations = Object.values(document.paths).flatMap(({ get }) => [
    ...get.parameters.map(({ name, schema, example }) => ({
      where: `${get.operationId} ${name}`,
      schema,
      values: given(example),
    })),
    ...Object.entries(get.responses).flatMap(([status, { content = {} }]) =>
      Object.values(content).map(({ schema, examples = {} }) => ({
        where: `${get.operationId} ${status}`,
        schema,
        values: Object.values(examples).flatMap(example =>
          given(resolve<{ value?: unknown }>(document, example).value),
        ),
      })),
    ),
  ])
  return [...headers, ...operations]
}

/** In what a value is not as a schema of the document says. */
export function faultsOf(document: OpenApiDocument, schema: object, value: unknown): string[] {
  const validate = validatorOf(document, schema)
  return validate(value) ? [] : [JSON.stringify(validate.errors)]
}

function holdError(document: OpenApiDocument, { status, body }: Answer, fault: (what: string) => Error): void {
  const code = body.error.code as ErrorCode
  if (!ERRORS[code]) throw fault('no such error code')
  if (ERRORS[code].status !== status) throw fault(`${code} has the status ${ERRORS[code].status}`)
  hold(document, { $ref: `#/components/schemas/${errorName(code)}` }, body.error, fault)
}

function hold(document: OpenApiDocument, schema: object, body: unknown, fault: (what: string) => Error): void {
  const [wrong] = faultsOf(document, schema, body)
  if (wrong) throw fault(`not as the document says: ${wrong}`)
}

const compilers = new WeakMap<OpenApiDocument, (schema: object) => ValidateFunction>()

function validatorOf(document: OpenApiDocument, schema: object): ValidateFunction {
  const compile = compilers.get(document) ?? compilerOf(document)
  compilers.set(document, compile)
  return compile(schema)
}

/** Compiles every schema once, and the components of all of them once. */
function compilerOf({ components }: OpenApiDocument): (schema: object) => ValidateFunction {
  // That the schemas themselves are in order is seen where the document is linted.
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

/** What a reference within the document stands for. */
function resolve<Thing>(document: OpenApiDocument, { $ref, ...thing }: Reference): Thing {
  if (!$ref) return thing as Thing
  const [, ...steps] = $ref.split('/')
  return steps.reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], document) as Thing
}

function matches(template: string, path: string): boolean {
  const [there, here] = [template.split('/'), path.split('/')]
  return (
    there.length === here.length && there.every((part, i) => (part.startsWith('{') ? here[i] !== '' : part === here[i]))
  )
}
