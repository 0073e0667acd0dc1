/** Reads the X-API-Key header. Whether a key is valid is decided by the database. */

import { type Environment, isWellFormed, keyHash, prefixOf } from '../../db/api-keys/key-format'
import { ApiError } from '../../schema/errors'
import type { Context } from '../state'

/**
 * Returns the hash of the presented key.
 *
 * @throws ApiError MISSING_API_KEY, WRONG_ENVIRONMENT, INVALID_API_KEY
 */
export function readKey(ctx: Context, environment: Environment): Buffer {
  const key = ctx.req.headers['x-api-key'] as string | undefined
  if (key === undefined) throw new ApiError('MISSING_API_KEY')
  // Node joins repeated headers with commas.
  if (key.includes(',')) throw new ApiError('INVALID_API_KEY')
  if (key.startsWith(prefixOf(environment === 'dev' ? 'production' : 'dev'))) {
    throw new ApiError('WRONG_ENVIRONMENT', { expected_prefix: prefixOf(environment) })
  }
  if (!key.startsWith(prefixOf(environment)) || !isWellFormed(key)) throw new ApiError('INVALID_API_KEY')
  return keyHash(key)
}
