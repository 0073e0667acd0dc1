/**
 * Errors of the cells of a wide file. A sink gets the number of a cell in place of the line, so that the errors that it reports
 * later can name line and sensor.
 */
import type { SensorColumn } from './csv/sensor-columns'
import { FileError, quote } from './errors'
import { RowCounter } from './row-counter'

/** Sinks keep the number in 4 bytes. */
const MAX_CELL = 2 ** 31 - 1

export class CellErrors {
  /** For the sink. */
  readonly counter: RowCounter

  /** @param counter receives the errors with their lines */
  constructor(
    private readonly sensors: readonly SensorColumn[],
    counter: RowCounter,
  ) {
    this.counter = new RowCounter(({ line: cell, reason }) =>
      counter.reject({ line: this.findLine(cell), reason: this.describe(cell, reason) }),
    )
  }

  /** Returns the number of a cell. */
  numberCell(line: number, sensor: number): number {
    const cell = line * this.sensors.length + sensor
    if (cell > MAX_CELL) throw new FileError('has more than two billion cells: split it', line)
    return cell
  }

  /** Returns the reason with the sensor, and with lines in place of cells. */
  describe(cell: number, reason: string): string {
    const { serial } = this.sensors[cell % this.sensors.length] as SensorColumn
    const subject = `sensor ${quote(serial)}`
    const text = reason.replace(/\bline (\d+)/g, (_, other) => `line ${this.findLine(Number(other))}`)
    if (!text.startsWith(subject)) return `${subject}: ${text}`
    return text.startsWith(`${subject} is unknown`)
      ? `${text}; if the column is not a sensor, give --ignore ${quote(serial)}`
      : text
  }

  private findLine(cell: number): number {
    return Math.floor(cell / this.sensors.length)
  }
}
