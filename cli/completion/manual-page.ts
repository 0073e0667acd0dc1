/** The manual page, in the man macros of roff. */
import type { Kind } from '../../db/import/kind-names'
import { KINDS } from '../../db/import/kinds'
import { kindHelp } from '../import/kind-help'
import type { CommandInfo, CommandOption } from './command-tree'

/** Returns text that roff prints as it is: no line is a request, and hyphens can be copied. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/gm, '\\&')

/** Returns an argument of a macro. */
const argument = (text: string): string => `"${roff(text).replaceAll('"', '\\(dq')}"`

export function manualPage([program, ...commands]: readonly CommandInfo[], version: string): string {
  return `${[
    `.TH PARTNER\\-METRICS 1 "" ${argument(`partner-metrics ${version}`)} "partner\\-metrics"`,
    '.SH NAME',
    roff('partner-metrics - audience measurement of physical advertising assets'),
    '.SH SYNOPSIS',
    `.B partner\\-metrics\n${roff(program?.usage ?? '')}`,
    '.SH DESCRIPTION',
    roff(program?.description ?? ''),
    '.SH COMMANDS',
    ...commands
      .filter(({ subcommands, choices }) => subcommands.length === 0 || choices.length > 0)
      .flatMap(commandLines),
    '.SH FILES OF IMPORTS',
    ...Object.keys(KINDS).flatMap(kind => [`.SS ${kind}`, '.nf', roff(kindHelp(kind as Kind)), '.fi']),
    '.SH EXIT STATUS',
    'Success is 0, an error is 1, and wrong usage or an invalid setting is 2.',
    '.SH ENVIRONMENT',
    roff('Settings are environment variables. /docs/operations of the service describes them, and how to operate it.'),
    '.SH EXAMPLES',
    '.nf',
    roff('source <(partner-metrics completion bash)'),
    '.fi',
  ].join('\n')}\n`
}

const commandLines = ({ path, usage, description, options }: CommandInfo): string[] => [
  `.SS ${argument(`${path} ${usage}`)}`,
  roff(`${description}.`),
  ...options.filter(({ name }) => name !== '--help').flatMap(optionLines),
]

const optionLines = ({ flags, description, choices }: CommandOption): string[] => [
  '.TP',
  `.B ${roff(flags)}`,
  roff(choices.length > 0 ? `${description}: ${choices.join(' ')}` : description),
]
