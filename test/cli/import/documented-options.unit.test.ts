import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describeProgram } from '../../../cli/command-line'

const operations = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'operations.md'), 'utf8')
const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }

test.each(['import', 'doctor'])('each option of %s is in the operations guide', name => {
  const { options } = describeProgram(streams).find(({ path }) => path === name) ?? { options: [] }
  expect(options.length).toBeGreaterThan(3)
  const missing = options.filter(option => !new RegExp(`\`[^\`\n]*${option.name}\\b`).test(operations))
  expect(missing.map(option => option.name).filter(option => option !== '--help')).toEqual([])
})
