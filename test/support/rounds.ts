/** The size of a test: `few` in the usual run, `many` in `npm run test:soak`. */
export const rounds = <Size>(few: Size, many: Size): Size => (process.env.SOAK ? many : few)
