/** The record of a route: everything about an endpoint, from which serving, OpenAPI, documentation and clients are derived. */
import type { DocumentNode, ExecutionResult } from 'graphql'
import type { Context } from '../../resolvers/context'
import type { ErrorCode } from '../../schema/errors'
import type { Envelope } from '../envelopes/envelopes'
import type { Column } from '../formats/columns'
import type { Format } from '../formats/formats'
import type { Parameter } from '../parameters/params'
import type { Tag } from './tags'

/** The part of a record that documentation is generated from. */
export interface DocumentedRoute {
  /** With `{id}` for a parameter in the path. */
  path: string
  /** The query's operation name; also the OpenAPI operationId, and the label in logs and metrics. */
  operation: string
  /** The group of routes that it is documented in. */
  tag: Tag
  /** One line. */
  summary: string
  /** Details for callers, in Markdown. */
  description: string
  parameters: Parameter[]
  /** A scope that the key must have. */
  scope?: string
}

export interface RouteRecord extends DocumentedRoute {
  query: string
  envelope: Envelope
  /** Errors besides those of its parameters and those of every route. */
  errors?: ErrorCode[]
  /** Whether its result has a data version: an unchanged response is then recognised without reading any data. */
  versioned?: boolean
  /** Columns with times that have the UTC offset of the asset. */
  localTimes?: readonly string[]
  /** Returns the rows of one node of its list; without it, one. */
  rowsPerNode?(variables: Readonly<Record<string, unknown>>): number
  /** Checks what depends on several parameters. @throws ApiError */
  check?(variables: Readonly<Record<string, unknown>>, format: Format): void
  /** Errors of single nodes, which replace the nodes in the data. */
  errorsOfNodes?: ErrorCode[]
}

export interface PersistedQuery {
  /** As the record has it: a query of the public schema. */
  document: DocumentNode
  /** As it is executed on the schema of REST. */
  executed: DocumentNode
  execute(context: Context, variables: Record<string, unknown>): Promise<ExecutionResult> | ExecutionResult
}

/** A record that has been checked against the schema, with its compiled query. */
export interface Route extends RouteRecord, PersistedQuery {
  formats: readonly Format[]
  /** The columns of its list in formats other than JSON. */
  columns: readonly Column[]
  /** The names of its parameters in the query of a URL. */
  queryNames: readonly string[]
}
