/** Time formats that have a name in place of tokens: numbers of seconds, milliseconds or days. */
import type { ReadTime } from './time-tokens'

/** The days from 1899-12-30, from which Excel counts, to 1970-01-01. */
const EXCEL_EPOCH = 25_569

/** Excel counts 1900-02-29, which never was: 60. */
const FIRST_EXCEL_DAY = 61

const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 19)

/**
 * Numbers too short for a year since 1973 are refused, because they are counted in another unit. Local times of Excel are rounded
 * to seconds.
 */
export const NAMED_FORMATS: Readonly<Record<string, ReadTime>> = {
  epoch: text => {
    const [, seconds, fraction] = /^(\d{9,10})(?:[.,](\d{1,9}))?$/.exec(text) ?? []
    return seconds && `${isoTime(Number(seconds))}${fraction ? `.${fraction}` : ''}Z`
  },
  'epoch-ms': text => {
    const [, seconds, fraction] = /^(\d{9,10})(\d{3})(?:[.,]0+)?$/.exec(text) ?? []
    return seconds && `${isoTime(Number(seconds))}.${fraction}Z`
  },
  excel: text => {
    const serial = /^\d{2,6}(?:[.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : 0
    return serial < FIRST_EXCEL_DAY ? undefined : isoTime(Math.round((serial - EXCEL_EPOCH) * 86_400))
  },
}
