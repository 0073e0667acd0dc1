/** The forms of batches, each with the client of pg that it needs. */
import type { Client } from 'pg'
import type { Batch } from './batch'
import { PipelinedBatch } from './pipelined-batch'
import { PlainBatch } from './plain-batch'
import { isSupported, RawRowClient } from './raw-row-client'

export interface BatchForm {
  createBatch(): Batch
  /** Undefined for pg's own client. */
  Client?: new () => Client
}

export const PIPELINED: BatchForm = { createBatch: () => new PipelinedBatch(), Client: RawRowClient }

export const PLAIN: BatchForm = { createBatch: () => new PlainBatch() }

/** Returns the fastest form that the installed version of pg supports. */
export const fastestForm = (): BatchForm => (isSupported() ? PIPELINED : PLAIN)
