/** The groups of routes in the documentation, in display order. */

export const TAGS = {
  Key: 'The scope of your API key.',
  Assets: 'The advertising faces in the scope of your key: location, format, time zone and measured period.',
  Impressions:
    'The number of people who passed an asset, over a range of its local days. The rows of every grain add up to the same total. Periods without sensor data are null, not 0.',
  Demographics: 'The audience by gender, by age band, and by both. Small audiences are withheld.',
  Sensors: 'The sensors installed on your assets, and their health.',
  Notes: 'What to know about the data of your assets: caveats, breaks, and counts that cannot be used.',
  Changes: 'What a copy of the data has to read again, with ranges of days: for nightly synchronisation.',
  Health: 'Health checks for load balancers.',
  Legacy: 'The frozen interface of older clients, with its own error envelope. New clients do not need it.',
} as const

export type Tag = keyof typeof TAGS
