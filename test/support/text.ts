/** Texts of tests: messages with parts that do not matter, and command lines. */

/** Returns what matches a text in which `…` is any text. */
export const like = (text: string) =>
  expect.stringMatching(
    new RegExp(
      `^${text
        .split('…')
        .map(part => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
        .join('[\\s\\S]*')}$`,
    ),
  )

/** Splits words as a shell does. */
export const splitWords = (text: string): string[] =>
  [...text.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'))
