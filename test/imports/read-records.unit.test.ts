import { readCsv } from '../support/csv'

const NOT_UTF8 = 'is not UTF-8: name the encoding of the file with --encoding'

const read = (...content: (string | Buffer)[]) => readCsv(content.map(part => Buffer.from(part as string)))

describe('CSV', () => {
  test('may have a byte order mark, any line ending, blank lines, quotes and no last line break', async () => {
    const text =
      '\ufeffid,name\r\n\r\ncompanya1,"Alder, ""the"" first"\n\ncompanyb1,Birch & Söhne\rcompanyc1,"two\r\nlines"'
    expect(await read(text)).toEqual({
      records: [
        ['id', 'name'],
        ['companya1', 'Alder, "the" first'],
        ['companyb1', 'Birch & Söhne'],
        ['companyc1', 'two\r\nlines'],
      ],
      lines: [1, 3, 5, 6],
      errors: [],
    })
  })

  test('keeps the lines of the file when quotes begin in the middle of it', async () => {
    const plain = `${'a,b\n'.repeat(50_000)}`
    const { records, lines, errors } = await read('id,name\n', plain, 'c,"d\ne"\n', 'f,g\n')
    expect(records.slice(-2)).toEqual([
      ['c', 'd\ne'],
      ['f', 'g'],
    ])
    expect([records.length, lines.slice(-2), errors]).toEqual([50_003, [50_002, 50_004], []])
  })

  test.each([
    ['a stray quote', 'b,c"c', 'has a quote within a value that does not begin with one'],
    ['a NUL byte', 'b,c\0c', 'has a NUL byte; if the file is UTF-16, give --encoding'],
    ['bytes that are not UTF-8', Buffer.from('b,c\xffc', 'latin1'), NOT_UTF8],
    ['an incomplete character', Buffer.from('b,c\xc3', 'latin1'), NOT_UTF8],
  ])('rejects a record with %s and continues with the next one', async (_, row, reason) => {
    expect(await read('id,name\na,a\n', row, '\nd,d\n')).toEqual({
      records: [
        ['id', 'name'],
        ['a', 'a'],
        ['d', 'd'],
      ],
      lines: [1, 2, 4],
      errors: [`3: ${reason}`],
    })
  })

  test.each([
    ['text behind a closing quote', 'b,"c"c\nd,d\n', /^3: text follows the quote at the end of a value/],
    ['a quote that is never closed', 'b,"c\nd,d\n', /^\d: a quote is opened and never closed$/],
  ])('is refused as a whole for %s', async (_, rows, message) => {
    const { records, errors } = await read('id,name\na,a\n', rows)
    expect([records, errors]).toEqual([[], [expect.stringMatching(message)]])
  })

  test.each([
    ['with a header in Latin-1', Buffer.from('id,n\xe4me\n', 'latin1'), `1: its header ${NOT_UTF8}`],
    [
      'with a stray quote in the header',
      Buffer.from('id,na"me\n'),
      '1: its header has a stray quote: if the header is on another line, give --header-line',
    ],
  ])('is refused %s', async (_, bytes, error) => {
    expect(await read(bytes)).toEqual({ records: [], lines: [], errors: [error] })
  })
})
