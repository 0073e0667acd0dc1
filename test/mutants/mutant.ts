/** One wrong edit of the product, with the test that detects it. */
export interface Mutant {
  /** A sentence that says what the edit breaks. */
  mutant: string
  /** The path of the file, in which the text to replace stands exactly once. */
  file: string
  replace: string
  by: string
  /** Pattern of the path of the test file. */
  test: string
  /** Pattern of the tests in it that are run; all by default. */
  name?: string
}
