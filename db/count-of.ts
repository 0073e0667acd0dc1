/** Returns a number with its noun: `1 company`, `1,200 sensors`. @param plural with an s by default */
export const countOf = (number: number, noun: string, plural = `${noun}s`): string =>
  `${number.toLocaleString('en')} ${number === 1 ? noun : plural}`
