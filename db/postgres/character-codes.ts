/** Codes of characters, by which texts are read where they are many. */

/** The codes of characters, in their order. */
export const codesOf = <const Characters extends readonly string[]>(...characters: Characters) =>
  characters.map(character => character.charCodeAt(0)) as { [At in keyof Characters]: number }
