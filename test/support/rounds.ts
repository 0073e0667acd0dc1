/** The size of a test: `few` in the usual run, `many` in `npm run test:soak`. */
export const rounds = (few: number, many: number): number => (process.env.SOAK ? many : few)
