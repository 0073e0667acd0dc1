/** Runs a change that the operator confirms: preview, question, change, result. */
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { listMore } from '../../db/count-of'
import { OperatorError } from '../../db/operator-error'
import type { Pool } from '../../db/postgres/pool'
import { type Invocation, UsageError } from '../invocation'
import { shutdownSignal } from '../shutdown'
import { withOwner } from './owner'

export interface ConfirmOptions {
  yes?: boolean
  dryRun?: boolean
}

export const addConfirmOptions = (command: Command): Command =>
  command
    .option('--dry-run', 'show what would be changed, and change nothing')
    .option('--yes', 'go on without asking; required where there is no terminal')

/** Assets in the lines about a change; the JSON document has all. */
export const MAX_ASSETS = 20

/** Returns the line on the assets that have none. */
export const listMoreAssets = ({ length }: readonly unknown[]): string[] =>
  listMore(length - MAX_ASSETS, 'asset', ' (--json lists all)')

interface Change<Plan> {
  preview(pool: Pool): Promise<Plan>
  /** @param preview the plan that was confirmed, if it was */
  run(pool: Pool, preview?: Plan): Promise<Plan>
  isEmpty?(plan: Plan): boolean
  /** The headings of what will be changed, and of what was. */
  plan: string
  done: string
  format(plan: Plan, heading: string, width: number | undefined): string[]
  question: string
}

/** @throws UsageError where a confirmation is needed and nobody can be asked; OperatorError NOT_CONFIRMED */
export async function runConfirmed<Plan extends object>(
  invocation: Invocation,
  { yes = false, dryRun = false }: ConfirmOptions,
  change: Change<Plan>,
): Promise<void> {
  const { stdin, stderr } = invocation
  const result = await withOwner(invocation, async ({ pool }) => {
    if (yes && !dryRun) return change.run(pool)
    const preview = await change.preview(pool)
    if (dryRun) return preview
    if (!(stdin.isTTY && stderr.isTTY)) {
      throw new UsageError(
        'CONFIRMATION_REQUIRED',
        'there is no terminal to ask for confirmation: give --yes to go on, or --dry-run to see what would be changed',
      )
    }
    if (change.isEmpty?.(preview)) return preview
    invocation.printMessage(change.format(preview, `${change.plan}:`, stderr.columns).join('\n'))
    await confirm(invocation, change.question)
    return change.run(pool, preview)
  })
  const heading = dryRun ? `${change.plan} (nothing was changed):` : `${change.done}:`
  invocation.printResult({ dry_run: dryRun, ...result }, width => change.format(result, heading, width))
}

/** Asks on the terminal. @throws OperatorError NOT_CONFIRMED unless the answer is yes */
async function confirm({ stdin, stderr }: Invocation, question: string): Promise<void> {
  const terminal = createInterface({ input: stdin, output: stderr })
  // On a terminal, Ctrl+C is a character.
  terminal.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  try {
    const answer = await terminal.question(`${question} Type "yes" to continue: `, { signal: shutdownSignal })
    if (/^(y|yes)$/i.test(answer.trim())) return
  } catch (error) {
    shutdownSignal.throwIfAborted()
    throw error
  } finally {
    terminal.close()
  }
  throw new OperatorError('NOT_CONFIRMED', 'nothing was changed')
}
