import { changedLines } from '../../../cli/import/closing-lines'

const day = { id: 'zooeastgate', name: 'Zoo', from: '2026-01-05', to: '2026-01-06' }

test.each([
  [[], []],
  [[day], ['Changed: 1 asset (Zoo), 2026-01-05 to 2026-01-06.']],
  [
    [day, ...['a', 'b', 'c'].map(id => ({ id, name: id.toUpperCase(), from: '2026-01-02', to: '2026-01-02' }))],
    ['Changed: 4 assets (Zoo, A, B, …), 2026-01-02 to 2026-01-06.'],
  ],
])('an import of %j ends with %j', (changed, lines) => {
  expect(changedLines(changed)).toEqual(lines)
})
