/**
 * Facts by company and day, for what is summed over many assets: so a group reads what is its companies' own, and not the
 * days of all. The sums of impressions come from the index alone.
 */
export const up = `
CREATE INDEX sensor_days_of_company ON sensor_days (company, date) INCLUDE (asset, impressions);
CREATE INDEX demographic_days_of_company ON demographic_days (company, date);
`
