/** Help for the kinds of files that can be imported. */
import { Help } from 'commander'
import type { KindColumns } from '../../imports/csv/header/column-options'
import type { Kind } from '../../imports/kind-names'
import { KINDS } from '../../imports/kinds'

const MAX_LINE = 78

/** Returns the columns of a kind and a file with the command that imports it. */
export function kindHelp(kind: Kind): string {
  const { columns, required } = KINDS[kind]
  const isRequired = (column: string) => required.some(names => names.split('|').includes(column))
  return [
    `Columns of ${kind} (* ${required.some(names => names.includes('|')) ? 'one of them is' : 'are'} required):`,
    new Help()
      .boxWrap(columns.map(column => (isRequired(column) ? `${column}*` : column)).join(', '), MAX_LINE)
      .replace(/^/gm, '  '),
    ...namedHelp(kind),
    '',
    `Example, for partner-metrics import ${kind} ${kind}.csv:`,
    ...KINDS[kind].example.map(line => `  ${line}`),
  ].join('\n')
}

/** Returns lines on the columns of a kind whose names a file chooses, if it has any. */
function namedHelp(kind: Kind): string[] {
  const { named }: KindColumns = KINDS[kind]
  const text = named && `and ${named.prefix}NAME, NAME being ${named.expected}`
  return text ? [new Help().boxWrap(text, MAX_LINE).replace(/^/gm, '  ')] : []
}
