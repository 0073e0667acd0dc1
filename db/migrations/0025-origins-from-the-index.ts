/** Origins are summed from the key's index alone, as the days of sensors are: it carries what is summed, and whose it is. */
export const up = `
ALTER TABLE origins DROP CONSTRAINT origins_pkey,
  ADD PRIMARY KEY (asset, date, country, region, city) INCLUDE (company, impressions);
`
