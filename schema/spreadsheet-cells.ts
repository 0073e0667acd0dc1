/** Guards text in CSV files against spreadsheets, which evaluate formulas: these get an apostrophe (OWASP). */

/** Precedes the header of a file for spreadsheets, which otherwise take UTF-8 for another encoding. */
export const SPREADSHEET_MARK = '\ufeff'

/** With the apostrophes of values that look like guarded ones, so that no two values are written alike. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/

/** Numbers with a sign, in any notation, cannot do harm. */
const NUMBER = /^[+-][\d.,]+(e[+-]?\d+)?$/i

export const guardFormula = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text)

/** Returns a text as a cell for spreadsheets: guarded, and in quotes if it contains a separator that one of them expects. */
export function spreadsheetCell(text: string): string {
  const guarded = guardFormula(text)
  return guarded === '' || /[",;\t\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}
