/** Names with characters that act on a terminal: to clear it, to beep, to forge lines, to hide or reverse what follows. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DataDir } from '../support/command'
import { World } from '../support/world'

jest.setTimeout(60_000)

const NAME = 'Alder\u001b[2J\u0007\u009b31m\u007f\r\nforged\u2028forged\u202e\u200b\ufeff\u{e0041}'

/** Control characters but line feeds, format characters, separators of lines, and halves of surrogate pairs. */
const NOT_PRINTED = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|^forged/mu

test('are printed by no command, but as escapes, which a JSON document reads as the same text', async () => {
  const world = await World.open()
  const dir = new DataDir()
  try {
    const file = join(dir.path, '..', `a\u001b[31m.csv`)
    const { make } = world
    const company = await make.company(NAME)
    const vendor = await make.vendor('quarter_hour', { name: NAME })
    const asset = await make.asset({ company, name: NAME, address: NAME, city: NAME })
    await make.sensor({ asset, vendor, grain: 'quarter_hour', serial: NAME, model: NAME })
    writeFileSync(file, 'name\nBirch\n')
    await world.run(['import', 'companies', file])
    const key = (await world.runJson(['keys', 'issue', '--company', company.id, '--label', 'till'])).document
    await world.rows('UPDATE api_keys SET label = $1', [NAME])
    await world.rows(`INSERT INTO legacy_calls VALUES (current_date, $1, '/v1/metrics/assets', 1, now())`, [key.id])
    for (const command of [
      ...[['list', 'sensors'], ['list', 'imports'], ['history'], ['status'], ['legacy-traffic']],
      ...[
        ['show', 'assets', asset.id],
        ['show', 'assets', NAME],
        ['show', 'keys', key.id],
      ],
      ['keys', 'issue', '--company', NAME, '--label', NAME],
      ['delete', 'companies', NAME, '--dry-run'],
      ['import', 'companies', file, '--map', `${NAME}=name`],
      ...[['list', 'companies', '--json'], ['show', 'assets', NAME, '--json'], ['bogus\u001b[2J\u0007\u009b']],
    ]) {
      const { stdout, stderr } = await world.run(command)
      expect([command, stdout + stderr]).toEqual([command, expect.not.stringMatching(NOT_PRINTED)])
    }
    expect((await world.runJson(['show', 'assets', asset.id])).document.name).toBe(NAME)
    const { stdout } = await world.run(['show', 'assets', asset.id])
    const escaped = 'Alder\\u001b[2J\\u0007\\u009b31m\\u007f forged forged\\u202e\\u200b\\ufeff\\udb40\\udc41'
    expect(stdout).toContain(escaped)
  } finally {
    await world.stop()
    await dir.dispose()
  }
})
