import { Readable } from 'node:stream'
import fc from 'fast-check'
import { recordBatches } from '../../../db/backup/record-batches'

const value = fc.oneof(
  fc.constantFrom('x', '12', 'é🙂', ''),
  fc.constantFrom('"a\nb"', '"say ""no"""', '"\n"', '",\n"""'),
)

const record = fc.array(value, { minLength: 2, maxLength: 4 }).map(values => `${values}\n`)

test('batches have whole records, wherever values have line breaks and chunks end', async () => {
  const inputs = [
    fc.array(record, { maxLength: 20 }),
    fc.integer({ min: 1, max: 9 }),
    fc.integer({ min: 1, max: 40 }),
  ] as const
  await fc.assert(
    fc.asyncProperty(...inputs, async (records, chunkSize, size) => {
      const bytes = Buffer.from(['id,name\n', ...records].join(''))
      const chunks = Array.from({ length: Math.ceil(bytes.length / chunkSize) }, (_, i) =>
        bytes.subarray(i * chunkSize, (i + 1) * chunkSize),
      )
      const [header, ...batches] = (await Readable.from(recordBatches(Readable.from(chunks), size)).toArray()).map(
        String,
      )
      expect([header, batches.join('')]).toEqual(['id,name', records.join('')])
      const ends = new Set(records.map((_, i) => records.slice(0, i + 1).join('').length))
      let end = 0
      for (const batch of batches) {
        end += batch.length
        expect(ends).toContain(end)
      }
    }),
  )
})
