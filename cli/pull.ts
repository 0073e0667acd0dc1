/** `partner-metrics pull`: the command of the client, beside those of the service. */
import type { Command } from 'commander'
import { pullCommand } from '../client/pull/command'
import type { Invocation } from './invocation'
import { shutdownSignal } from './shutdown'

export function register(program: Command, invocation: Invocation): void {
  const command = pullCommand('partner-metrics pull', invocation, shutdownSignal, exitCode => {
    invocation.exitCode = exitCode
  })
  program.addCommand(command.copyInheritedSettings(program))
}
