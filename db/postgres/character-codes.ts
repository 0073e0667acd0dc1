/** The character codes of single characters, in their order: for code that reads text byte by byte. */
export const encodeCharacters = <const Characters extends readonly string[]>(...characters: Characters) =>
  characters.map(character => character.charCodeAt(0)) as { [At in keyof Characters]: number }
