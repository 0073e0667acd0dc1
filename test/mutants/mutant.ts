/** A wrong edit of the product. */
export interface Mutant {
  /** A sentence: what the edit breaks. */
  mutant: string
  file: string
  /** Text that stands exactly once in the file. */
  replace: string
  by: string
  /** The pattern of the test file that kills it. */
  test: string
}
