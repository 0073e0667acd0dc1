/** A process that attacks: it receives the attack from its parent process, and sends the statuses of the responses. */
import { writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { type AttackName, type AttackTarget, runAttack } from './attacks'

export interface AttackOrder {
  name: AttackName
  target: AttackTarget
  milliseconds: number
}

// Real attackers have processors of their own. Here they must not take the service's.
setPriority(constants.priority.PRIORITY_LOW)
try {
  // Linux weighs sessions against each other, and this process is one.
  writeFileSync('/proc/self/autogroup', String(constants.priority.PRIORITY_LOW))
} catch {
  // There is no such file without autogroups.
}

process.on('message', async ({ name, target, milliseconds }: AttackOrder) => {
  const statuses = await runAttack(name, target, milliseconds)
  process.send?.(statuses, () => process.disconnect())
})
process.on('disconnect', () => process.exit())
