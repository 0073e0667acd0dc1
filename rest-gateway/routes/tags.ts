/** The groups under which the documents tell of the routes, in their order. */

export const TAGS = {
  Key: 'What your key may read.',
  Assets:
    'The advertising faces in the scope of your key: where they stand, what they are, since when they are measured.',
  Impressions:
    'How many people passed an asset, over a range of its local days. Rows of every grain add up to the same total; what no sensor observed is null, never 0.',
  Demographics: 'Who the audience was: by gender, by age band, and by both. Too small an audience is not told apart.',
  Sensors: 'The hardware that counts, and how it is.',
  Legacy: 'The frozen interface of older clients, with an error envelope of its own. New clients need none of it.',
} as const

export type Tag = keyof typeof TAGS
