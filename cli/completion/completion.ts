/** `partner-metrics completion`: prints a script that completes commands, options and their choices in a shell. */
import { Argument, type Command } from 'commander'
import type { Invocation } from '../invocation'
import type { SHELLS } from './shells'

const NAMES = ['bash', 'zsh', 'fish'] as const satisfies readonly (keyof typeof SHELLS)[]

export function register(program: Command, invocation: Invocation): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(NAMES))
    .addHelpText(
      'after',
      [
        '\nTo complete in every new shell, add to its configuration:',
        '  ~/.bashrc                   source <(partner-metrics completion bash)',
        '  ~/.zshrc, after compinit    source <(partner-metrics completion zsh)',
        '  ~/.config/fish/config.fish  partner-metrics completion fish | source',
      ].join('\n'),
    )
    .action(async (shell: keyof typeof SHELLS) => {
      const { SHELLS } = require('./shells') as typeof import('./shells')
      const { describeProgram } = require('../command-line') as typeof import('../command-line')
      await invocation.printText(SHELLS[shell](describeProgram(invocation)))
    })
}
