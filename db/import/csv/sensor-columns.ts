/** The columns of a wide file that are sensors. */
import { quote } from '../errors'

export interface SensorColumn {
  serial: string
  index: number
}

/**
 * @param indexes of the columns that are sensors
 * @param serials `[name in the file, serial]` of those with another name
 * @param refuse throws an error with this reason
 */
export function readSensorColumns(
  names: readonly string[],
  indexes: readonly number[],
  serials: readonly (readonly [string, string])[],
  refuse: (reason: string) => never,
): SensorColumn[] {
  const renamed = new Map(serials.map(([name, serial]) => [name.trim(), serial]))
  const sensors = indexes.map(index => {
    const name = names[index] as string
    return { serial: renamed.get(name) ?? name, index }
  })
  if (sensors.length === 0) refuse('has no column of a sensor: with --wide, all columns but start are sensors')
  const seen = new Set<string>()
  for (const { serial } of sensors) {
    if (seen.has(serial)) refuse(`has two columns of the sensor ${quote(serial)}`)
    seen.add(serial)
  }
  return sensors
}
