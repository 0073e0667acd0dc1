import { Readable } from 'node:stream'
import { Imports, refused, stored } from '../../support/importing'

describe('a CSV file', () => {
  let imports: Imports
  beforeAll(async () => {
    imports = await Imports.open()
  })
  afterAll(() => imports.close())
  beforeEach(() => imports.clear())

  const names = async () => (await imports.rows('SELECT name FROM companies ORDER BY name')).map(({ name }) => name)

  test('may have a BOM, any line ending, blank lines, quotes and no last line break', async () => {
    const text =
      '\ufeffid,name\r\n\r\ncompanya1,"Alder, ""the"" first"\n\ncompanyb1,Birch & Söhne\rcompanyc1,"two\r\nlines"'
    expect(await imports.run('companies', Buffer.from(text))).toEqual(stored(3))
    expect(await names()).toEqual(['Alder, "the" first', 'Birch & Söhne', 'two\r\nlines'])
  })

  test('tells the line on which a faulty row begins, whatever stands before it', async () => {
    const text = 'id,name\r\n\r\ncompanya1,"one\r\ntwo\r\nthree"\r\n\r\nX,"a\nb"\r\nY,c\r\n'
    const { faults } = await imports.run('companies', Buffer.from(text))
    expect(faults).toEqual([
      expect.stringMatching(/^7: id is "X", but must be/),
      expect.stringMatching(/^9: id is "Y"/),
    ])
  })

  test('is read alike however its bytes arrive', async () => {
    const bytes = Buffer.from('\ufeffid,name\r\ncompanya1,"Ä ""x"" €"\r\ncompanyb1,😀\r\n')
    expect(await imports.run('companies', Readable.from([...bytes].map(byte => Buffer.from([byte]))))).toEqual(
      stored(2),
    )
    expect(await names()).toEqual(['Ä "x" €', '😀'])
  })

  test.each([
    ['too many values', 'companyb1,b,c', 'has 3 values where the header has 2'],
    ['too few values', 'companyb1', 'has 1 values where the header has 2'],
    ['a stray quote', 'companyb1,b"b', 'has a quote within a value that does not begin with one'],
    ['a NUL byte', 'companyb1,b\0b', 'has a NUL byte'],
    ['bytes that are no UTF-8', Buffer.from('companyb1,b\xffb', 'latin1'), 'is not UTF-8'],
    ['half a character', Buffer.from('companyb1,b\xc3', 'latin1'), 'is not UTF-8'],
  ])('tells of %s, and goes on', async (_, row, reason) => {
    const content = () =>
      Buffer.concat([Buffer.from('id,name\ncompanya1,a\n'), Buffer.from(row), Buffer.from('\ncompanyc1,c\n')])
    expect(await imports.run('companies', content())).toEqual(refused(3, [`3: ${reason}`]))
    expect(await names()).toEqual([])
    const skipped = await imports.run('companies', content(), { skipFaulty: true })
    expect(skipped).toMatchObject({ read: 3, stored: 2, rejected: 1, not_stored: 0 })
    expect(await names()).toEqual(['a', 'c'])
  })

  test('may hold the replacement character itself', async () => {
    expect(await imports.run('companies', ['id,name', 'companya1,a\ufffd'])).toEqual(stored(1))
  })

  test.each([
    ['text after a closing quote', 'companyb1,"b"b\ncompanyc1,c\n', /^3: a quote ends a value/],
    ['a quote that is never closed', 'companyb1,"b\ncompanyc1,c\n', /^\d: a quote is opened and never closed/],
    ['an endless row', `companyb1,${'b'.repeat(1_100_000)}\n`, /^3: a row is longer than 1 MiB/],
    ['an endless quoted row', `companyb1,"${'b\n'.repeat(600_000)}"\n`, /a row is longer than 1 MiB/],
  ])('is refused for %s, faulty rows skipped or not', async (_, rows, reason) => {
    for (const skipFaulty of [false, true]) {
      const outcome = await imports.run('companies', Buffer.from(`id,name\ncompanya1,a\n${rows}`), { skipFaulty })
      expect(outcome).toMatchObject({ stored: 0, faults: [expect.stringMatching(reason)] })
      expect(await names()).toEqual([])
    }
  })

  test.each([
    ['nothing', Buffer.alloc(0), 'file: is empty: there is no header'],
    ['blank lines', Buffer.from('\n\r\n\n'), 'file: is empty: there is no header'],
    ['UTF-16', Buffer.from('\ufeffid,name\n', 'utf16le'), '1: is UTF-16: save it as UTF-8'],
    ['a header of bytes', Buffer.from('id,n\xe4me\n', 'latin1'), '1: its header is not UTF-8'],
  ])('is refused when it has %s', async (_, bytes, fault) => {
    expect(await imports.run('companies', bytes)).toMatchObject({ read: 0, faults: [fault] })
  })

  test('may have no rows', async () => {
    expect(await imports.run('companies', ['id,name'])).toEqual(stored(0))
  })

  test('of a hundred megabytes on one line is refused without being held', async () => {
    const before = process.memoryUsage().rss
    const piece = Buffer.alloc(1024 * 1024, 'x')
    async function* endless() {
      yield Buffer.from('id,name\n')
      for (let i = 0; i < 100; i++) yield piece
    }
    const { faults } = await imports.run('companies', Readable.from(endless()))
    expect(faults).toEqual(['2: a row is longer than 1 MiB'])
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024)
  })
})
