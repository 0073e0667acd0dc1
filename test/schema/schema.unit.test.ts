import {
  buildSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInterfaceType,
  isListType,
  isObjectType,
  print,
  printSchema,
  validateSchema,
} from 'graphql'
import { nestedRestSchema, restSchema } from '../../resolvers/rest-schema'
import { schema } from '../../resolvers/schema'

test('every type, field and enum value of the schema has a description', () => {
  const undescribed: string[] = []
  const check = (name: string, description: string | null | undefined) => description || undescribed.push(name)
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__') || ['String', 'Int', 'Float', 'Boolean', 'ID'].includes(type.name)) continue
    check(type.name, type.description)
    if (isObjectType(type) || isInterfaceType(type)) {
      for (const field of Object.values(type.getFields())) check(`${type.name}.${field.name}`, field.description)
    }
    if (isEnumType(type)) for (const value of type.getValues()) check(`${type.name}.${value.name}`, value.description)
  }
  expect(undescribed).toEqual([])
})

/** Each field of an object, with the type that has it. */
const FIELDS = Object.values(schema.getTypeMap()).flatMap(type =>
  isObjectType(type) && !type.name.startsWith('__')
    ? Object.values(type.getFields()).map(field => ({ type, field, isCounted: /@rows\b/.test(print(field.astNode!)) }))
    : [],
)

test('the number of rows of every list of objects is stated with @rows, at the list or at the fields that return its type', () => {
  const isReturnedCounted = (name: string) => {
    const returning = FIELDS.filter(({ field }) => getNamedType(field.type).name === name)
    return returning.length > 0 && returning.every(({ isCounted }) => isCounted)
  }
  const uncounted = FIELDS.filter(
    ({ type, field, isCounted }) =>
      isListType(getNullableType(field.type)) &&
      isObjectType(getNamedType(field.type)) &&
      !isCounted &&
      !isReturnedCounted(type.name),
  )
  expect(uncounted.map(({ type, field }) => `${type.name}.${field.name}`)).toEqual([])
})

test('the schemas are valid, which a start of the service assumes', () => {
  for (const each of [schema, restSchema, nestedRestSchema]) {
    expect(validateSchema(buildSchema(printSchema(each)))).toEqual([])
  }
})
