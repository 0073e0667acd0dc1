/** The commands as data, from which completion is generated. */
import type { Command } from 'commander'

export interface CommandOption {
  /** `--label`. */
  name: string
  description: string
  takesValue: boolean
  choices: readonly string[]
}

export interface CommandInfo {
  /** The words after the program's name, separated by blanks; empty for the program itself. */
  path: string
  options: CommandOption[]
  /** The choices of its first argument. */
  choices: readonly string[]
  subcommands: { name: string; description: string }[]
}

/** Returns the command and all below it, each before its subcommands. */
export function describeCommands(command: Command, path = ''): CommandInfo[] {
  const help = command.createHelp()
  const subcommands = help.visibleCommands(command).filter(each => each.name() !== 'help')
  const info = {
    path,
    options: help.visibleOptions(command).map(option => ({
      name: option.long ?? option.flags,
      description: option.description,
      takesValue: option.required || option.optional,
      choices: option.argChoices ?? [],
    })),
    choices: command.registeredArguments[0]?.argChoices ?? [],
    subcommands: subcommands.map(each => ({ name: each.name(), description: each.description() })),
  }
  return [info, ...subcommands.flatMap(each => describeCommands(each, `${path} ${each.name()}`.trim()))]
}

/** A word that can follow a command, and its description. */
export type Word = readonly [word: string, description: string]

/** Returns the words that can follow a command: commands, choices of the argument, and options. */
export const followingWords = ({ subcommands, choices, options }: CommandInfo): Word[] => [
  ...subcommands.map(({ name, description }): Word => [name, description]),
  ...choices.map((choice): Word => [choice, '']),
  ...options.map(({ name, description }): Word => [name, description]),
]

/** Returns the options of which a shell can complete the value. Punctuation is not worth it. */
export const completedOptions = ({ options }: CommandInfo): CommandOption[] =>
  options.filter(({ choices }) => choices.length > 0 && choices.every(choice => /^[\w.:-]+$/.test(choice)))
