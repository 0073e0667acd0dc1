/** Databases for tests: each test file makes its own, migrated and empty, and drops it. */
import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import type { TestServer } from './global-setup'

export interface TestDatabase {
  /** Logs in as the owner, a superuser. */
  ownerUrl: string
  /** Logs in as the service does: a login that owns nothing. */
  readerUrl: string
  /** Drops it, whoever is still connected. */
  drop(): Promise<void>
}

/** A database of its own: a copy of the migrated template. */
export async function createDatabase(): Promise<TestDatabase> {
  const { url, template, reader, password } = JSON.parse(process.env.TEST_SERVER as string) as TestServer
  const name = `test_${randomBytes(6).toString('hex')}`
  await perform(url, `CREATE DATABASE ${name} TEMPLATE ${template}`)
  const ownerUrl = new URL(url)
  ownerUrl.pathname = name
  const readerUrl = new URL(ownerUrl)
  readerUrl.username = reader
  readerUrl.password = password
  return {
    ownerUrl: ownerUrl.href,
    readerUrl: readerUrl.href,
    drop: () => perform(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  }
}

async function perform(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
