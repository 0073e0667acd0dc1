/** The forms of batches, each with the client of pg that it needs. */
import type { Client } from 'pg'
import type { SessionLogin } from '../session-settings'
import type { Batch } from './batch'
import { EnclosedBatch, PipelinedBatch } from './pipelined-batch'
import { PlainBatch } from './plain-batch'
import { isSupported, RawRowClient } from './raw-row-client'

export interface BatchForm {
  createBatch(): Batch
  /** Undefined for pg's own client. */
  Client?: new () => Client
}

export const PIPELINED: BatchForm = { createBatch: () => new PipelinedBatch(), Client: RawRowClient }

export const ENCLOSED: BatchForm = { createBatch: () => new EnclosedBatch(), Client: RawRowClient }

export const PLAIN: BatchForm = { createBatch: () => new PlainBatch() }

/** Returns the fastest form that the installed version of pg supports, for the reader's login or for the owner's. */
export function fastestForm(login: SessionLogin = 'reader'): BatchForm {
  if (!isSupported()) return PLAIN
  return login === 'reader' ? PIPELINED : ENCLOSED
}
