/**
 * Databases for tests: each test file makes its own, migrated and empty, and drops it. It is loaded once for each Jest worker,
 * for its connection.
 */
import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { openPool, withPool } from '../../db/postgres/pool'
import { closeShared, openShared } from './command-pools'
import type { TestServer } from './global-setup'

export interface TestDatabase {
  /** Logs in as the owner, a superuser. */
  ownerUrl: string
  /** Logs in as the service does to read: a login that owns nothing. */
  readerUrl: string
  /** Drops it, with all connections to it. */
  drop(): Promise<void>
}

/** Returns the settings of a service that works on it. */
export const settingsOf = ({ ownerUrl, readerUrl }: TestDatabase) => ({
  DATABASE_URL: ownerUrl,
  READER_DATABASE_URL: readerUrl,
})

/** Returns what the tests of a run share. */
export const testServer = (): TestServer => JSON.parse(process.env.TEST_SERVER as string)

let connected: Pool | undefined

/** Returns the pool of the worker for statements on databases: to connect takes longer than to copy one. */
const server = (): Pool =>
  (connected ??= openPool(testServer().url, { max: 1, allowExitOnIdle: true, idleTimeoutMillis: 0 }))

/** Makes a database a new one. */
export const withoutTables = ({ ownerUrl }: TestDatabase): Promise<void> =>
  withPool(ownerUrl, { max: 1 }, owner => perform(owner, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public'))

export type ScopeCheck = keyof typeof DISABLE

/**
 * Returns a database of its own: a copy of the template, which is migrated and has the grants of a start, or of another
 * one. TEST_PLAN names a setting of PostgreSQL, such as `enable_hashjoin`, that is turned off to get other plans.
 */
export async function createDatabase(copied?: string, disabled: readonly ScopeCheck[] = []): Promise<TestDatabase> {
  const { url, template, reader, password } = testServer()
  const name = `test_${randomBytes(6).toString('hex')}`
  // To copy files takes half of the time of copying blocks, and dropping what is not in shared buffers a tenth. Privileges
  // on the database itself are not copied.
  await perform(
    server(),
    `CREATE DATABASE ${name} TEMPLATE ${copied ?? template} STRATEGY file_copy`,
    `REVOKE CONNECT, TEMPORARY ON DATABASE ${name} FROM PUBLIC;
     GRANT CONNECT ON DATABASE ${name} TO ${reader}`,
  )
  const ownerUrl = new URL(url)
  ownerUrl.pathname = name
  const plan = process.env.TEST_PLAN
  if (plan) await perform(server(), `ALTER DATABASE ${name} SET ${plan} = off`)
  for (const check of disabled) await withPool(ownerUrl.href, { max: 1 }, owner => perform(owner, DISABLE[check]))
  openShared(ownerUrl.href)
  return {
    ownerUrl: ownerUrl.href,
    readerUrl: Object.assign(new URL(ownerUrl), { username: reader, password }).href,
    async drop() {
      await closeShared(ownerUrl.href)
      await perform(server(), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    },
  }
}

/** Statements that disable one of the two scope checks, and the one of functions that read with the rights of the owner. */
const DISABLE = {
  /** Each statement then reads all companies. */
  predicates: `ALTER FUNCTION authenticate_key RENAME TO authenticate_only;
CREATE FUNCTION authenticate_key(key_hash bytea) RETURNS json LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  claims json = public.authenticate_only(key_hash);
BEGIN
  PERFORM set_config('partner_metrics.companies', ARRAY(SELECT generate_series(1, 1000))::text, true);
  RETURN claims;
END $$`,
  'row-level security': `DO $$
DECLARE protected regclass;
BEGIN
  FOR protected IN SELECT oid FROM pg_class WHERE relrowsecurity LOOP
    EXECUTE format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY', protected);
  END LOOP;
END $$`,
  functions: `CREATE OR REPLACE FUNCTION companies_in_scope() RETURNS integer[] LANGUAGE sql STABLE AS $$
  SELECT ARRAY(SELECT generate_series(1, 1000)) $$`,
}

/** Returns SQL that runs statements without triggers, as no code of the service does. */
export const withoutTriggers = (...statements: string[]): string =>
  `BEGIN; SET LOCAL session_replication_role = replica; ${statements.join('; ')}; COMMIT`

async function perform(pool: Pool, ...statements: string[]): Promise<void> {
  for (const statement of statements) await pool.query(statement)
}
