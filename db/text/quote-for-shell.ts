/** Quotes texts in commands and scripts for shells. */

/** Returns a text in single quotes, which every shell takes literally. */
export const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
