import { parquetMetadata } from 'hyparquet'
import type { Column } from '../../../rest-gateway/record'
import { parquetWriter } from '../../../rest-gateway/shape/parquet'

const COLUMN: Omit<Column, 'name' | 'path' | 'type'> = { nullable: false, plain: true, optional: false }

test('rows are encoded in groups of 5,000, however many arrive at once', () => {
  const writer = parquetWriter([
    { ...COLUMN, name: 'start', path: ['start'], type: 'text' },
    { ...COLUMN, name: 'impressions', path: ['impressions'], type: 'integer' },
  ])
  const rows = (length: number) => Array.from({ length }, (_, i) => ({ start: `row ${i}`, impressions: i }))
  const parts = [writer.begin()]
  const counts = [4_000, 25_000, 0, 2_000].map(length => {
    const written = [...writer.write(rows(length))]
    parts.push(...written)
    return written.length
  })
  parts.push(writer.end())
  expect(counts).toEqual([0, 5, 0, 1])
  const file = Buffer.concat(parts.map(part => Buffer.from(part as Uint8Array)))
  const { row_groups, num_rows } = parquetMetadata(Uint8Array.from(file).buffer)
  expect(num_rows).toBe(31_000n)
  expect(row_groups.map(group => group.num_rows)).toEqual([...new Array(6).fill(5_000n), 1_000n])
})
