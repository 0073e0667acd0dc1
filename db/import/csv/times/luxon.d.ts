/** The part of luxon that `time-format.ts` uses. */
declare module 'luxon' {
  export interface Token {
    literal: boolean
    val: string
  }

  export class DateTime {
    static fromFormat(
      text: string,
      format: string,
      options: { zone: string; locale: string; setZone: boolean },
    ): DateTime
    static fromFormatExplain(
      text: string,
      format: string,
      options: { locale: string },
    ): { regex: RegExp; tokens: Token[] }
    readonly isValid: boolean
    toFormat(format: string): string
  }
}
