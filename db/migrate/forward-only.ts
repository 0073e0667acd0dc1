/** The `down` of every migration: there is no way back but a backup, since counts that were dropped cannot be made again. */
export async function down(): Promise<never> {
  throw new Error('migrations run forward only: restore a backup instead')
}
