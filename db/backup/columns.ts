/** The columns of exported files: how each is read from a table, and how it is stored again. */

export interface Column {
  /** Its name in the file. */
  name: string
  /** SQL of its text or number; `t` is the row of the table. */
  read: string
  /** SQL by column of the table; `s` is the row of the file. */
  store: Record<string, string>
}

/** Returns columns that are the same in the file. */
export const plain = (...names: string[]): Column[] =>
  names.map(name => ({ name, read: `t.${name}`, store: { [name]: `s.${name}` } }))

/** Instants, as ISO 8601 in UTC. */
export const instants = (...names: string[]): Column[] =>
  names.map(name => ({
    name,
    read: `to_char(t.${name} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    store: { [name]: `s.${name}::timestamptz` },
  }))

/** Booleans, as true and false. */
export const booleans = (...names: string[]): Column[] =>
  names.map(name => ({ name, read: `t.${name}::text`, store: { [name]: `s.${name}::boolean` } }))

/** Returns bytes, as hexadecimal digits. */
export const hex = (name: string): Column => ({
  name,
  read: `encode(t.${name}, 'hex')`,
  store: { [name]: `decode(s.${name}, 'hex')` },
})

/** Returns a list of words, separated by blanks. */
export const words = (name: string): Column => ({
  name,
  read: `array_to_string(t.${name}, ' ')`,
  store: { [name]: `string_to_array(s.${name}, ' ')` },
})

/** The copy of the company that rows of an asset have, for `reference`. */
export const OF_COMPANY = { company: 'company' }

/**
 * Returns the id of a row of another table.
 *
 * @param column the column with its number
 * @param table the other table
 * @param copies columns with copies of columns of that row
 */
export const reference = (column: string, table: string, copies: Record<string, string> = {}): Column => {
  const name = `${column}_id`
  const stored = Object.entries({ [column]: 'number', ...copies })
  return {
    name,
    read: `(SELECT id FROM ${table} WHERE number = t.${column})`,
    store: Object.fromEntries(
      stored.map(([own, other]) => [own, `(SELECT ${other} FROM ${table} WHERE id = s.${name})`]),
    ),
  }
}
