/** Scripts that complete commands, options and their choices in shells. Elsewhere, names of files are completed. */
import { quoteForShell as quote } from '../../db/text/quote-for-shell'
import { type CommandInfo, completedOptions, followingWords, type Word } from './command-tree'

const paths = (commands: readonly CommandInfo[]): string[] => commands.map(({ path }) => path).filter(Boolean)

const wordsOf = (choices: readonly string[]): Word[] => choices.map(choice => [choice, ''])

/** Returns branches of a `case` on the command and the word before, then of one on the command alone. */
function branches(commands: readonly CommandInfo[], assign: (words: readonly Word[]) => string) {
  const branch = (pattern: string, words: readonly Word[]) => `    ${quote(pattern)}) ${assign(words)} ;;`
  const options = commands.flatMap(command =>
    completedOptions(command).map(({ name, choices }) => branch(`${command.path} ${name}`, wordsOf(choices))),
  )
  const values = commands.flatMap(({ path, options }) =>
    options.filter(({ takesValue }) => takesValue).map(({ name }) => quote(`${path} ${name}`)),
  )
  return {
    options: [...options, `    ${values.join('|')}) ;;`].join('\n'),
    commands: commands.map(command => branch(command.path, followingWords(command))).join('\n'),
  }
}

function bash(commands: readonly CommandInfo[]): string {
  const cases = branches(commands, words => `candidates=${quote(words.map(([word]) => word).join(' '))}`)
  return `# Completion of partner-metrics for bash: source <(partner-metrics completion bash)
# Scopes contain colons, at which bash would break words.
COMP_WORDBREAKS=\${COMP_WORDBREAKS//:}
_partner_metrics() {
  local command='' candidates='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${command:+$command }\${COMP_WORDS[i]}" in
      ${paths(commands).map(quote).join('|')}) command="\${command:+$command }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$command \${COMP_WORDS[COMP_CWORD-1]}" in
${cases.options}
    *) case "$command" in
${cases.commands}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _partner_metrics partner-metrics
`
}

function zsh(commands: readonly CommandInfo[]): string {
  const item = ([word, description]: Word) =>
    quote([word.replaceAll(':', '\\:'), ...(description ? [description] : [])].join(':'))
  const cases = branches(commands, words => `candidates=(${words.map(item).join(' ')})`)
  return `#compdef partner-metrics
# Completion of partner-metrics for zsh: source <(partner-metrics completion zsh), after compinit
_partner_metrics() {
  local command='' word
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${command:+$command }$word" in
      ${paths(commands).map(quote).join('|')}) command="\${command:+$command }$word" ;;
    esac
  done
  case "$command $words[CURRENT-1]" in
${cases.options}
    *) case "$command" in
${cases.commands}
    esac ;;
  esac
  _describe 'partner-metrics' candidates || _files
}
if [[ $funcstack[1] == _partner_metrics ]]; then _partner_metrics "$@"; else compdef _partner_metrics partner-metrics; fi
`
}

function fish(commands: readonly CommandInfo[]): string {
  const literal = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
  const described = (text: string) => (text ? ` -d ${literal(text)}` : '')
  const lines = commands.flatMap(command => {
    const complete = `complete -c partner-metrics -n ${literal(`__partner_metrics_command ${literal(command.path)}`)}`
    const words = followingWords(command).filter(([word]) => !word.startsWith('-'))
    const completed = new Set(completedOptions(command))
    return [
      // Names of files may follow where no subcommand is needed.
      ...words.map(
        ([word, description]) =>
          `${complete}${command.choices.length === 0 ? ' -f' : ''} -a ${literal(word)}${described(description)}`,
      ),
      ...command.options.map(option => {
        const values = completed.has(option)
          ? ` -x -a ${literal(option.choices.join(' '))}`
          : option.takesValue
            ? ' -r'
            : ''
        return `${complete} -l ${option.name.replace(/^--/, '')}${values}${described(option.description)}`
      }),
    ]
  })
  return `# Completion of partner-metrics for fish: partner-metrics completion fish | source
function __partner_metrics_command
  set -l command ''
  for word in (commandline -opc)[2..-1]
    set -l longer (string trim "$command $word")
    contains -- "$longer" ${paths(commands).map(literal).join(' ')}; and set command $longer
  end
  test "$command" = "$argv[1]"
end
${lines.join('\n')}
`
}

export const SHELLS = { bash, zsh, fish }
