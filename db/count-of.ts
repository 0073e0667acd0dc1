/** Returns a number with its noun: `1 company`, `1,200 sensors`. @param plural with an s by default */
export const countOf = (number: number, noun: string, plural = `${noun}s`): string =>
  `${number.toLocaleString('en')} ${number === 1 ? noun : plural}`

/** Returns the line after a list that shows some of all: `and 3 more days`; none after a whole list. */
export const listMore = (number: number, noun: string, text = ''): string[] =>
  number > 0 ? [`and ${countOf(number, `more ${noun}`)}${text}`] : []
