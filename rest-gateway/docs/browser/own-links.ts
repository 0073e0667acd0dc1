/**
 * Swagger UI brings zenscroll, which takes the clicks on all links within a page to itself, so that the address changes
 * without a word and nothing that follows it hears of it. It looks for this name when it is loaded: import this first.
 */
Object.assign(window, { noZensmooth: true })
