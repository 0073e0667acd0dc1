/** Finds the migrations by their file names, in TypeScript and in the build alike. */
import { readdirSync } from 'node:fs'
import { join, parse } from 'node:path'
import type { Knex } from 'knex'

const DIRECTORY = join(__dirname, '..', 'migrations')

/**
 * Returns the names of all migrations in order. They are the names of the TypeScript files, in the build too, so that
 * Knex's command line and the service record the same ones.
 */
export const migrationNames = (): string[] =>
  readdirSync(DIRECTORY)
    .filter(file => /^\d+_.*\.[jt]s$/.test(file))
    .map(file => `${parse(file).name}.ts`)
    .sort()

const loadMigration = (name: string): Knex.Migration & { config?: { transaction?: boolean } } =>
  require(join(DIRECTORY, parse(name).name))

export const migrationSource = (names: string[]): Knex.MigrationSource<string> => ({
  getMigrations: async () => names,
  getMigrationName: name => name,
  getMigration: async name => loadMigration(name),
})
