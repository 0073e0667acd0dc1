/** The part of luxon that is used, which has no types of its own. */
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
    static fromMillis(milliseconds: number, options: { zone: string; locale: string }): DateTime
    readonly isValid: boolean
    toFormat(format: string): string
  }
}
