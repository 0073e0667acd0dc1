/**
 * Property tests with a shared number of inputs: FUZZ_INPUTS sets their total. A failure reports its seed and the smallest
 * input that fails.
 */
import fc from 'fast-check'
import { rounds } from './rounds'

const INPUTS = Number(process.env.FUZZ_INPUTS ?? rounds(2_000, 100_000))

/** The percentage of the inputs that each property gets; slow properties get few. */
const SHARES = {
  address: 28,
  'GraphQL text': 8,
  'GraphQL body': 5,
  'GraphQL query': 12,
  'CSV bytes': 20,
  'row order': 2,
}

/** A test of a property on its share of the inputs. */
export function testProperty<Input>(
  inputs: keyof typeof SHARES,
  name: string,
  arbitrary: fc.Arbitrary<Input>,
  check: (input: Input) => Promise<void>,
): void {
  const numRuns = Math.ceil((INPUTS * SHARES[inputs]) / 100)
  test(
    `${name} (${inputs}: ${numRuns})`,
    async () => {
      try {
        await fc.assert(fc.asyncProperty(arbitrary, check), { numRuns, endOnFailure: numRuns > 10_000 })
      } catch (error) {
        ;(error as Error).message =
          `FUZZ_SEED=${fc.readConfigureGlobal().seed} FUZZ_INPUTS=${INPUTS}\n${(error as Error).message}`
        throw error
      }
    },
    60_000 + numRuns * 1_000,
  )
}

/** Any code point but surrogates, like fast-check's unit `binary`, which first builds a map of all of them, for seconds. */
const codePoint = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map(point => String.fromCodePoint(point < 0xd800 ? point : point + 0x800))

/** Text of any kind, including strings that are known to cause trouble. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: codePoint, maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1e400',
    'null',
    '\0',
    "' OR 1=1 --",
    '%s%n{{7*7}}',
    '../../etc/passwd',
    '__proto__',
    'constructor',
    '9'.repeat(30),
    '99999999999',
    '\ud800',
    '\u202e',
    '２０２６-01-01',
    '9999-12-31',
    '0001-01-01',
    '2026-02-30',
    'x'.repeat(3_000),
  ),
)
