import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isEnumType, isInterfaceType, isObjectType } from 'graphql'
import { schema } from '../../resolvers/schema'

const root = join(__dirname, '..', '..')

test('every type, field, argument and value of the vocabulary is described', () => {
  const silent: string[] = []
  const note = (name: string, description: string | null | undefined) => description || silent.push(name)
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__') || ['String', 'Int', 'Float', 'Boolean', 'ID'].includes(type.name)) continue
    note(type.name, type.description)
    if (isObjectType(type) || isInterfaceType(type)) {
      for (const field of Object.values(type.getFields())) note(`${type.name}.${field.name}`, field.description)
    }
    if (isEnumType(type)) for (const value of type.getValues()) note(`${type.name}.${value.name}`, value.description)
  }
  expect(silent).toEqual([])
})

test('the generated resolver types are those of the vocabulary', () => {
  const print = "require('./schema/codegen').generate().then(types => process.stdout.write(types))"
  const types = execFileSync(process.execPath, ['-e', print], { cwd: root, encoding: 'utf8' })
  expect(readFileSync(join(root, 'schema', 'generated.ts'), 'utf8')).toBe(types)
})
