/** `partner-metrics completion`: prints a script that completes commands, options and their choices in a shell. */
import { Argument, type Command } from 'commander'
import { describeProgram } from '../command-line'
import type { Invocation } from '../invocation'
import { SHELLS } from './shells'

export function register(program: Command, invocation: Invocation): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SHELLS)))
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
      await invocation.printText(SHELLS[shell](describeProgram(invocation)))
    })
}
