/** The record of a route: everything about an endpoint, from which serving, OpenAPI, documentation and clients are derived. */
import type { DocumentNode, ExecutionResult } from 'graphql'
import type { PresentedKey } from '../db/postgres/scoped-reader'
import type { Context, CursorIssuer } from '../resolvers/context'
import type { ErrorCode } from '../schema/errors'

/** The groups of routes in the documentation, in display order. */
export const TAGS = {
  Key: 'The scope of your API key.',
  Assets: 'The advertising faces in the scope of your key: location, format, time zone and measured period.',
  Impressions:
    'The number of people who passed an asset, over a range of its local days. The rows of every grain add up to the same total. Periods without sensor data are null, not 0.',
  Demographics: 'Impressions by gender, by age band, and by both. Groups of few are withheld.',
  Sensors: 'The sensors installed on your assets, and their health.',
  Notes: 'What to know about the data of your assets: caveats, breaks, and counts that cannot be used.',
  Changes: 'What a copy of the data has to read again, with ranges of days: for nightly synchronisation.',
  Health: 'Health checks for load balancers.',
  Legacy: 'The frozen interface of older clients, with its own error envelope. New clients do not need it.',
} as const

export interface JsonSchema {
  properties?: Record<string, JsonSchema>
  [keyword: string]: unknown
}

export type FlatFormat = 'csv' | 'ndjson' | 'parquet'

export type Format = 'json' | FlatFormat

type Variables = Readonly<Record<string, unknown>>

/** The part of a request that parsers of parameters depend on besides their own text. */
interface ParameterRequest {
  cursors: CursorIssuer
  /** Identifies the list that a cursor is bound to. */
  list: string
}

export interface Parameter {
  name: string
  in: 'path' | 'query'
  /** Documentation for callers, in Markdown. */
  description: string
  required: boolean
  /** The type of the GraphQL variable of the same name. */
  type: string
  schema: object
  errors: ErrorCode[]
  /** A value that works on the demo data: the documentation shows it with its response. */
  example: string | number
  /** Whether it chooses a part of the list or its form, rather than the rows of the list. Cursors are not bound to it. */
  paging?: boolean
  /** The variable's value when an optional parameter was not sent; without it, null. */
  defaultValue?: string | number
  parse(text: string, request: ParameterRequest): unknown
}

export type Data = Record<string, unknown>

/** The parts of a request that an envelope may use besides the data. */
export interface EnvelopeRequest extends ParameterRequest {
  variables: Variables
}

/**
 * Shapes the data of a persisted query into the body of a response: a pair of functions, one on the data and one on its JSON schema, so
 * that a body and its documentation always agree.
 */
export interface Envelope {
  /** @throws ApiError NOT_FOUND where the requested asset is unknown or out of scope */
  shape(data: Data, request: EnvelopeRequest, key: PresentedKey): object
  schema(data: JsonSchema): JsonSchema
  /** The list of the body in formats other than JSON; without it, that of the property `data`. */
  list?: FlatList
  /** Whether the query has lists nested under an asset, or the nodes of a page. */
  nested?: boolean
}

/** A list whose pages are sent as one response in formats other than JSON. */
interface FlatList {
  row(data: JsonSchema): JsonSchema
  rows(data: Data): readonly object[]
  /** Returns the id behind which more rows follow; null for none. */
  next(data: Data): string | null
}

/** The part of a record that documentation is generated from. */
export interface DocumentedRoute {
  /** With `{id}` for a parameter in the path. */
  path: string
  /** The query's operation name; also the OpenAPI operationId, and the label in logs and metrics. */
  operation: string
  tag: keyof typeof TAGS
  /** One line. */
  summary: string
  /** Details for callers, in Markdown. */
  description: string
  parameters: Parameter[]
  scope?: string
}

export interface RouteRecord extends DocumentedRoute {
  /** The selection of its query, whose name is the operation, and whose variables are the parameters. */
  query: string
  envelope: Envelope
  /** Errors besides those of its parameters and those of every route. */
  errors?: ErrorCode[]
  /** Columns with times that have the UTC offset of the asset. */
  localTimes?: readonly string[]
  /** Returns the rows of one node of its list; without it, one. */
  rowsPerNode?(variables: Variables): number
  /** Checks what depends on several parameters. @throws ApiError */
  check?(variables: Variables, format: Format): void
  /** Errors of single nodes, which replace the nodes in the data. */
  errorsOfNodes?: ErrorCode[]
}

export interface Column {
  /** Fields of nested objects are joined with `_`. */
  name: string
  path: readonly string[]
  /** A list is text: its elements, separated by blanks. A date or time is text, but in Parquet. */
  type: 'text' | 'integer' | 'number' | 'boolean' | 'date' | 'time'
  /** Whether it is a time with the UTC offset of the asset, which Parquet has in a column of its own. */
  local?: boolean
  nullable: boolean
  /** Whether it is text that never needs quotes: a time, or a name of the schema. */
  plain: boolean
  /** Whether some responses lack the column. */
  optional: boolean
  /** Whether its value is an object of text by name, which has a column for each name. */
  isObject?: true
}

/** Writes rows in a format, in chunks. */
export interface RowWriter {
  /** Precedes all rows. */
  begin(): string | Uint8Array
  /** Returns rows, or what can be written of those so far. */
  write(rows: readonly object[]): Iterable<string | Uint8Array>
  /** Follows all rows. */
  end(): string | Uint8Array
}

/** A query that has been checked against the schema. */
export interface PersistedQuery {
  document: DocumentNode
  execute(root: undefined, context: Context, variables: Variables): Promise<ExecutionResult> | ExecutionResult
}

/** A record that has been checked against the schema, with its compiled query. */
export interface Route extends RouteRecord, PersistedQuery {
  formats: readonly Format[]
  /** The columns of its list in formats other than JSON. */
  columns: readonly Column[]
  /** The names of its parameters in the query of a URL. */
  queryNames: readonly string[]
}
