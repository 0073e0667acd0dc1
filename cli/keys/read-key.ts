/** Finds the key that a command is about, by its id or by the key itself, which it reads from standard input. */
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { findKeyId } from '../../db/api-keys/api-keys'
import { isWellFormed, keyHash } from '../../db/api-keys/key-format'
import { OperatorError } from '../../db/operator-error'
import type { Invocation } from '../invocation'
import { type OwnerSession, withOwner } from '../operations/owner'
import { unlessShutdown } from '../shutdown'

/** @param reference an id, or `-` to read the key itself from standard input */
export async function withKey<Result>(
  invocation: Invocation,
  reference: string,
  work: (session: OwnerSession, id: string) => Promise<Result>,
): Promise<Result> {
  const hash = reference === '-' ? await readKeyHash(invocation) : undefined
  return withOwner(invocation, async session => work(session, hash ? await findKeyId(session.pool, hash) : reference))
}

/**
 * Returns the hash of the key in the first line of standard input, which is not echoed on a terminal.
 *
 * @throws OperatorError INVALID_KEY
 */
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
