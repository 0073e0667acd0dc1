/** The operator's statement, as a list on the page on the methodology, in which the build left a mark for it. */
import { snakeCase } from '../../db/assets/attributes'
import { STATED } from '../../resolvers/methodology'
import type { Methodology } from '../../schema/generated'

const MARK = '<!-- statement -->'

/** Returns the page, or its Markdown, with what the operator states. */
export function fillStatement(page: string, isHtml: boolean, methodology: Methodology): string {
  const items = (['standard', ...STATED] as const).flatMap(name => {
    const stated: (string | object)[] = [methodology[name] ?? 'not stated'].flat()
    const texts = stated.length > 0 ? stated.map(textOf) : ['none']
    return texts.map(text => `${snakeCase(name)}: ${text}`.replace(/\s+/g, ' '))
  })
  const escaped = items.map(item => item.replace(/[&<]/g, sign => `&#${sign.charCodeAt(0)};`))
  const html = escaped.map(item => `<li>${item.replace(/`([^`]+)`/g, '<code>$1</code>')}</li>`)
  return page.replace(MARK, () => (isHtml ? `<ul>${html.join('\n')}</ul>` : `- ${items.join('\n- ')}`))
}

const textOf = (stated: string | object): string =>
  typeof stated === 'string'
    ? stated
    : Object.entries(stated)
        .flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]))
        .join('; ')
