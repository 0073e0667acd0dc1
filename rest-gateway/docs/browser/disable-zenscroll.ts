/**
 * Disables zenscroll, which Swagger UI bundles. It intercepts clicks on links within the page and changes the URL without
 * a `hashchange` event. zenscroll checks this property when it is loaded, so this module must be imported first.
 */
Object.assign(window, { noZensmooth: true })
