/** The type of the outlines of countries, which the compiler would derive from 750 KB. */
declare module 'world-atlas/countries-50m.json' {
  const atlas: Parameters<typeof import('topojson-client').feature>[0]
  export default atlas
}
